import { spawn } from "node:child_process";
import { Socket } from "node:net";
import { MARKER } from "./kill.ts";

/** Outlives this process by a moment, to end what it had started: nothing runs in a process that was killed. */
export interface Reaper {
  /** This process group is to be ended when this process is gone. */
  watch(group: number): void;
  /** The group has died out: its number may be given to a stranger. */
  forget(group: number): void;
  /** Everything is over; the reaper leaves without looking for anything. */
  dismiss(): void;
}

/**
 * Reads `+ <group>` and `- <group>` from its stdin. The end of it says that the process which wrote there is gone,
 * however it went: then all groups are killed, and where there is /proc all that carry the marker, too.
 */
const SCRIPT = `
trap '' HUP INT TERM
groups=
while read -r what group; do
  case $what in
    +) groups="$groups $group" ;;
    -) left=
       for each in $groups; do [ "$each" = "$group" ] || left="$left $each"; done
       groups=$left ;;
    *) exit 0 ;;
  esac
done
for each in $groups; do kill -KILL -- "-$each"; done
for round in 1 2 3 4 5; do
  found=
  for file in $(LC_ALL=C grep -lz "^${MARKER}=.*$1" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}" && found=yes
  done
  [ "$found" ] || exit 0
done
`;

const NONE: Reaper = Object.freeze({ watch() {}, forget() {}, dismiss() {} });

/**
 * Starts one: a small shell, in a session of its own, so that what ends this process does not end it.
 * Without a shell there is none, and only a process that is let end in order cleans up.
 * @param marker text within the marker of all that is started here; letters, digits, `/` and `-` only.
 */
export function startReaper(marker: string): Reaper {
  const child = spawn("sh", ["-c", SCRIPT, "smith-reaper", marker], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.on("error", () => {});
  const { stdin } = child;
  if (child.pid === undefined || stdin === null) return NONE;
  stdin.on("error", () => {}); // somebody ended it: there is none then
  // It waits for us, not we for it.
  child.unref();
  if (stdin instanceof Socket) stdin.unref();
  return Object.freeze<Reaper>({
    watch: (group) => void stdin.write(`+ ${group}\n`),
    forget: (group) => void stdin.write(`- ${group}\n`),
    dismiss: () => void stdin.end("q\n"),
  });
}
