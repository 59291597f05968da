import type { Rain, StatusView } from "@smith/terminal";
import type { Look } from "./terminal.ts";

/** The rain in the shell: it falls while a child waits for its model. */
export interface RainView {
  /** @param isHidden something else has the terminal, or the user's attention. */
  follow(status: Pick<StatusView, "children">, isHidden: boolean): void;
  /** It falls: then the spinner stands still. */
  isActive(): boolean;
  stop(): void;
}

export function createRainView(look: Look): RainView {
  let rain: Rain | null = null;
  let role: string | null = null;
  const stop = () => {
    role = null;
    rain?.stop();
    rain = null;
  };
  return Object.freeze({
    follow({ children }: Pick<StatusView, "children">, isHidden: boolean) {
      const waiting = children.findLast(({ activity, cancelling }) => activity === "thinking" && !cancelling);
      const next = isHidden || !look.graphics() ? null : (waiting?.role ?? null);
      if (next === role) return;
      stop();
      role = next;
      if (next === null) return;
      void import("@smith/terminal/rain").then(({ startRain }) => {
        if (role === next && rain === null) rain = startRain({ role: next, graphics: true, screen: look.screen });
      });
    },
    isActive: () => rain?.active === true,
    stop,
  });
}
