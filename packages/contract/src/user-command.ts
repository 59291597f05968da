import type { TurnAs } from "./turn.ts";

/** A command that a user wrote as a file. */
export interface UserCommand extends TurnAs {
  readonly name: string;
  /** Shown in `/help`. */
  readonly description: string;
  /** How it is called, without its name; may be empty. */
  readonly arguments: string;
  /** The prompt, with `$ARGUMENTS`, `$1` to `$9` and `$$`. */
  readonly body: string;
  readonly file: string;
  readonly source: "user" | "project";
}

export interface UserCommands {
  /** By name. */
  readonly commands: readonly UserCommand[];
  /** Why a file is left out, a sentence each. */
  readonly warnings: readonly string[];
}

export interface UserCommandsHost {
  /** As the files are now. Never rejects. */
  list(): Promise<UserCommands>;
}
