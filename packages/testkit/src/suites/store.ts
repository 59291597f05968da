import { describe, test } from "vitest";
import { AMENDMENTS } from "./store-amendments.ts";
import { BLOBS } from "./store-blobs.ts";
import { COPIES } from "./store-copies.ts";
import { DELETIONS } from "./store-deletions.ts";
import { NOTES } from "./store-notes.ts";
import { RECEIPTS } from "./store-receipts.ts";
import { LISTS, RECORDS } from "./store-records.ts";
import type { MakeStore, StoreUnderTest } from "./store-scene.ts";
import { SEARCH } from "./store-search.ts";
import { TURNS } from "./store-turns.ts";
import { USAGE } from "./store-usage.ts";

export type { MakeStore, StoreUnderTest };

/** What every store must do. */
export function storeSuite(name: string, make: MakeStore): void {
  describe(`${name} keeps the store's word`, () => {
    for (const [title, work] of [
      ...TURNS,
      ...LISTS,
      ...RECORDS,
      ...NOTES,
      ...BLOBS,
      ...RECEIPTS,
      ...COPIES,
      ...DELETIONS,
      ...AMENDMENTS,
      ...SEARCH,
      ...USAGE,
    ]) {
      test(title, async () => {
        const under = await make();
        try {
          await work(under);
        } finally {
          await under.dispose();
        }
      });
    }
  });
}
