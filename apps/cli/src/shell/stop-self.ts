import type { Keys, Screen } from "@smith/terminal";

/** A stopped process sees no time go by: this runs out once it goes on, or where nobody could stop it. */
const STOPPED_MS = 50;

/** Ctrl-Z: back to the shell that smith was started from, the terminal as it was; `fg` draws all anew. */
export function stopSelf({ screen, keys }: { readonly screen: Screen; readonly keys: Keys }): void {
  keys.pause();
  screen.suspend();
  setTimeout(() => {
    screen.resume();
    keys.resume();
  }, STOPPED_MS);
  process.kill(0, "SIGTSTP"); // the whole group, as the terminal does
}
