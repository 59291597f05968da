/** A program that one package has started by another, and talks with over its standard streams. */
export interface ProgramCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Must exist. */
  readonly cwd: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names it in the environment marker. */
  readonly label: string;
  /** Bytes of its standard output, as they come. */
  onOutput(bytes: Uint8Array): void;
  /** Bytes of its standard error. */
  onErrors(bytes: Uint8Array): void;
}

export interface ProgramEnd {
  /** Null after a signal. Both are null where it would not end and was given up. */
  readonly exit_code: number | null;
  readonly exit_signal: string | null;
}

export interface Program {
  /** Resolves when the program has ended by itself or was closed; what it had started is ended then, too. */
  readonly ended: Promise<ProgramEnd>;
  /** Into its standard input. What it does not read waits in memory: ask `unsent` first. Lost when it has ended. */
  send(text: string): void;
  /** Bytes that it has not read yet. */
  unsent(): number;
  /** Closes its input, gives it a moment to leave, then ends it with all that it started. Takes some seconds at most. */
  close(): Promise<void>;
}

/** @throws what the system answered, when it could not be started. */
export type OpenProgram = (command: ProgramCommand) => Promise<Program>;
