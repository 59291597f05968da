import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect } from "vitest";
import { type Case, contents, opening, play } from "./store-scene.ts";

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

/** Bytes by their hash. */
export const BLOBS: readonly Case[] = [
  [
    "any bytes come back as they were put, under their hash, and the next process has them",
    async ({ store, reopen }) => {
      let current = store;
      const law = fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const hash = await current.blob.put(bytes);
        expect([hash, await current.blob.put(bytes)]).toEqual([hashOf(bytes), hash]);
        current = await reopen();
        expect(await current.blob.get(hash)).toEqual(new Uint8Array(bytes));
      });
      await fc.assert(law, { numRuns: 30 });
    },
  ],
  [
    "what is done to bytes after they were put or got changes nothing that is kept",
    async ({ store }) => {
      const whole = new Uint8Array([9, 1, 2, 3, 9]);
      const bytes = whole.subarray(1, 4); // a part of a bigger buffer
      const hash = await store.blob.put(bytes);
      bytes.fill(0);
      (await store.blob.get(hash))?.fill(7);
      expect(await store.blob.get(hash)).toEqual(new Uint8Array([1, 2, 3]));
    },
  ],
  [
    "an unknown hash is null, before anything was put and after",
    async ({ store }) => {
      const unknown = ["0000000000000000", "", "'", "%"];
      const ask = () => Promise.all(unknown.map((hash) => store.blob.get(hash)));
      expect(await ask()).toEqual(unknown.map(() => null));
      await store.blob.put(new Uint8Array([1]));
      expect(await ask()).toEqual(unknown.map(() => null));
    },
  ],
  [
    "a user message of text and picture parts comes back whole, and five megabytes with it",
    async ({ store, reopen }) => {
      const picture = new Uint8Array(5 * 2 ** 20).map((_, at) => (at * 31) & 255);
      const blob = await store.blob.put(picture);
      const content = [
        { type: "text" as const, text: "what is this?" },
        { type: "image" as const, media_type: "image/png", blob },
      ];
      await play(store, opening("c", { user: { role: "user", content, round: 0, ts: 1 } }), "a picture");
      const again = await reopen();
      expect(await contents(again, "c")).toEqual([content, "a picture"]);
      expect((await again.conversation.get("c"))?.name).toBe("what is this?");
      expect(hashOf((await again.blob.get(blob)) ?? new Uint8Array())).toBe(blob);
    },
  ],
];
