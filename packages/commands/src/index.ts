export { type Command, type CommandCall, explainMisuse, type FlagSpec } from "./command.ts";
export { showChecks } from "./doctor.ts";
export { placeOf, readWritten, refusedHead, type Unreadable, type Written } from "./front-matter.ts";
export { type Line, readLine, runSlash, splitWords, takeFlags } from "./line.ts";
export { COMMANDS, findCommand } from "./table.ts";
export { CONFIG_TEMPLATE } from "./template.ts";
export { type CommandFolders, expandCommand, readUserCommands } from "./user-files.ts";
