import type { CatalogPage } from "@smith/contract/catalog";
import { UNKNOWN_USAGE } from "@smith/contract/model";
import { expect } from "vitest";
import { type Case, closing, opening } from "./store-scene.ts";

const PAGE: CatalogPage = {
  fetched_at: 1_000,
  tried_at: 2_000,
  models: [
    {
      ...{ id: "m", context_window: 4096, max_output_tokens: null, thinks: null, loaded: true },
      price: {
        ...{ input_per_mtok: 0.1, output_per_mtok: 2, cache_read_per_mtok: 0, cache_write_per_mtok: null },
        ...{ reasoning_per_mtok: null, tiers: [] },
      },
    },
  ],
};

/** What turns used, and what endpoints listed. */
export const USAGE: readonly Case[] = [
  [
    "L17 the usage of closed turns is listed with who used it, a job's once, by project and from a time on",
    async ({ store, reopen }) => {
      const usage = { ...UNKNOWN_USAGE, input_tokens: 7, cost_usd: 0.25 };
      const turn = async (id: string, more: Parameters<typeof opening>[1], ts: number) => {
        const open = await store.turn.open(opening(id, more));
        const children = id === "a" ? [{ job_id: "j1", role: "explorer", usage }] : [];
        await open.close({ ...closing(ts), usage, children });
      };
      await turn("a", {}, 2_000);
      await turn("b", { parent: "a", role: "explorer" }, 1_500);
      await turn("c", { project_id: "p2" }, 3_000);
      await store.turn.open(opening("d")); // open: nothing is known of it yet
      await store.conversation.fork({ from: "a", turn_id: null, id: "copy", name: "copy", ts: 4_000 }); // nothing was spent on it
      const again = await reopen();
      const row = { turn_id: "t1", model: "m", provider: "default", usage };
      const [a, b, c] = [
        { ...row, conversation_id: "a", role: "direct", ts: 2_000 },
        { ...row, conversation_id: "b", role: "explorer", ts: 1_500 },
        { ...row, conversation_id: "c", role: "direct", ts: 3_000 },
      ];
      expect(await again.usage.list({ project_id: "p1", since: 0 })).toEqual([b, a]);
      expect(await again.usage.list({ project_id: null, since: 2_000 })).toEqual([a, c]);
    },
  ],
  [
    "L15 what an endpoint listed comes back under its address, the last put wins",
    async ({ store, reopen }) => {
      const key = "openai_chat http://127.0.0.1:8080/v1";
      expect(await store.catalog.get(key)).toBeNull();
      await store.catalog.put(key, { ...PAGE, models: [] });
      await store.catalog.put(key, PAGE);
      const again = await reopen();
      expect([await again.catalog.get(key), await again.catalog.get("other")]).toEqual([PAGE, null]);
    },
  ],
];
