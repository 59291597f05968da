import type { Mode } from "@smith/contract/config";

const LOOK_ONLY = "Mode plan: nothing may be changed and no command run; what could do so is switched off.";

/** What a role is told of the session's ceiling; nothing in modes that leave its tools as they are. */
export function modeBlock(mode: Mode, { user_facing }: { readonly user_facing: boolean }): string {
  if (mode !== "plan") return "";
  return user_facing
    ? `${LOOK_ONLY} Look first, then answer with the plan itself: the steps in order, the files each touches and how, the commands that would prove it, and what is still open. Don't say that anything was done. The user carries the plan out after switching to another mode.`
    : `${LOOK_ONLY} Where the job asks for changes, report which ones you would make, file by file; leave changes empty.`;
}
