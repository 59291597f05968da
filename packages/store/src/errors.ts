import { AgentError, toAgentError } from "@smith/contract/error";

/** What is known about the database when something fails. */
export interface Scene {
  /** Absolute path, or null for a database in memory. */
  readonly file: string | null;
  /** The other process that writes, as far as an open turn tells. Asked only when the database is busy. */
  holder(): number | null;
}

interface Verdict {
  readonly code: string;
  readonly message: string;
  readonly retryable?: boolean;
  readonly pid?: number | null;
}

/** The code that Node, the system or SQLite gave an error, as `ENOENT`; `""` where there is none. */
export const errnoOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** SQLite's code (`SQLITE_BUSY`, …), `""` for any other error. */
export const sqliteCode = (error: unknown): string => {
  const code = errnoOf(error);
  return code.startsWith("SQLITE_") ? code : "";
};

export const isDamage = (error: unknown): boolean => /^SQLITE_(NOTADB|CORRUPT)/.test(sqliteCode(error));

/** Whether damaged full-text tables can be the cause: FTS5 tells of them in several ways. */
export const mayBeOfIndex = (error: unknown): boolean => /^SQLITE_(CORRUPT|CONSTRAINT|ERROR)/.test(sqliteCode(error));

/** The database can't be used here, although it may be whole: rights, a full disk, a folder that is not there. */
export const isOutOfReach = (error: unknown): boolean =>
  /^(SQLITE_(CANTOPEN|READONLY|PERM|AUTH|FULL|IOERR)|E(ACCES|PERM|ROFS|NOSPC|DQUOT|NOTDIR|NOENT|IO)$)/.test(
    errnoOf(error),
  ) || isNoFolder(error);

/** better-sqlite3 looks for the folder itself, and throws a TypeError without a code. */
const isNoFolder = (error: unknown): boolean =>
  error instanceof TypeError && error.message.startsWith("Cannot open database");

/**
 * Any error of the database as an {@link AgentError} of kind `persistence`. Codes: `busy`, `disk_full`, `io`, `corrupt`,
 * `cannot_open`, `readonly`, else `sqlite`. What does not come from SQLite keeps its own kind.
 */
export function toStoreError(error: unknown, scene: Scene): AgentError {
  if (error instanceof AgentError) return error;
  const verdict = judge(error, scene);
  if (verdict === null) return toAgentError(error, "store");
  const pid = verdict.pid === undefined ? {} : { pid: verdict.pid };
  return new AgentError({
    kind: "persistence",
    code: verdict.code,
    retryable: verdict.retryable ?? false,
    origin: "store",
    data: { file: scene.file, sqlite_code: sqliteCode(error), ...pid },
    message: verdict.message,
    cause: error,
  });
}

function judge(error: unknown, scene: Scene): Verdict | null {
  const code = sqliteCode(error);
  const where = scene.file === null ? "The database in memory" : `The database ${scene.file}`;
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) return busy(where, scene.holder());
  if (code === "SQLITE_FULL" || code === "SQLITE_IOERR_WRITE") {
    const message = `${where} can't grow: the disk is full. Free some space; what is missing is saved with the next turn.`;
    return { code: "disk_full", retryable: true, message };
  }
  if (code.startsWith("SQLITE_IOERR")) {
    return { code: "io", message: `${where} could not be read or written (${code}). Check the disk it is on.` };
  }
  if (isDamage(error)) {
    return {
      code: "corrupt",
      message: `${where} is damaged (${code}). The next start sets it aside if it can't be opened.`,
    };
  }
  if (code.startsWith("SQLITE_READONLY")) {
    return {
      code: "readonly",
      message: `${where} can't be written (${code}). Check the rights of the file and its folder.`,
    };
  }
  if (code.startsWith("SQLITE_CANTOPEN") || isNoFolder(error)) {
    return {
      code: "cannot_open",
      message: `${where} can't be opened. Check that its folder exists and can be written.`,
    };
  }
  return code === "" ? null : { code: "sqlite", message: `${where} refused (${code}): ${textOf(error)}` };
}

function busy(where: string, pid: number | null): Verdict {
  const who = pid === null ? "another process" : `process ${pid}`;
  return {
    code: "busy",
    retryable: true,
    pid,
    message: `${where} is busy: ${who} holds it. Try again when that one is done.`,
  };
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
