import { AgentError } from "@smith/contract/error";
import type { Store } from "@smith/contract/store";
import type { Notice } from "@smith/contract/turn";
import { openSettings, readConfigFiles, type Settings, type SettingsSources } from "./config/settings.ts";

export interface OpenGround extends StoreAtHand {
  readonly settings: Settings;
}

interface StoreAtHand {
  readonly store: Store;
  readonly notices: readonly Notice[];
  readonly persistent: boolean;
}

async function openTheStore(
  given: Store | undefined,
  file: string | null,
  options: { now(): number; blobMaxBytes(): number },
): Promise<StoreAtHand> {
  if (given !== undefined) return { store: given, notices: [], persistent: true };
  const { openStore } = await import("@smith/store");
  return openStore({ file, ...options });
}

/**
 * What everything else stands on: the configuration's files and the store, opened side by side. What fails leaves nothing
 * open.
 * @param given a store that is open already.
 */
export async function openGround(
  sources: SettingsSources,
  given: Store | undefined,
  now: () => number,
): Promise<OpenGround> {
  let settings: Settings | null = null;
  // Nothing is put into the store before they are read.
  const blobMaxBytes = () => (settings?.effective().store.blob_max_mb ?? 0) * 2 ** 20;
  const [files, opened] = await Promise.allSettled([
    readConfigFiles(sources),
    openTheStore(given, sources.database, { now, blobMaxBytes }),
  ]);
  if (opened.status === "rejected") throw files.status === "rejected" ? files.reason : opened.reason;
  const { store } = opened.value;
  try {
    if (files.status === "rejected") throw files.reason;
    settings = await openSettings(sources, files.value, store.config);
    return { ...opened.value, settings };
  } catch (thrown) {
    if (given === undefined) await store.close();
    throw thrown;
  }
}

/** Why nothing of this session will be there afterwards although a database was named; null when it will. */
export const unsavedWhy = (database: string | null, persistent: boolean): AgentError | null =>
  database === null || persistent
    ? null
    : new AgentError({
        kind: "persistence",
        code: "memory_only",
        origin: "runtime/store",
        message: `${database} can't be written, so this session is kept in memory only.`,
      });
