import { type Stats, statSync } from "node:fs";
import { AgentError } from "@smith/contract/error";

/** Looks whether the database is still where it was opened. */
export type CheckPlace = () => void;

/**
 * What is written to a file that was deleted or replaced while it was open is lost without a word from the system: so its
 * identity, and that of its write-ahead log, is looked at before each transaction (two calls, some microseconds).
 */
export function createCheckPlace(file: string): CheckPlace {
  const body = identityOf(file);
  let log: string | null = null;
  return () => {
    const now = identityOf(`${file}-wal`);
    log ??= now; // it is made by the first one who reads or writes
    if (identityOf(file) !== body || now !== log) throw gone(file);
  };
}

/** Null where there is no such file. */
function identityOf(path: string): string | null {
  const stats: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`;
}

const gone = (file: string): AgentError =>
  new AgentError({
    kind: "persistence",
    code: "replaced",
    origin: "store/place",
    data: { file },
    message: `The database ${file} was deleted or replaced while Smith had it open: what is written now would be lost. Put it back or leave it, and start Smith again.`,
  });
