import { expect, test } from "vitest";
import { openStore } from "../src/index.ts";
import { closing, NOW, opening } from "./support/example.ts";

test("decision 32: above their size the blobs go that were longest not used, and the rest stays whole", async () => {
  let clock = 0;
  const { store } = await openStore({ file: null, now: () => ++clock, blobMaxBytes: () => 1000 });
  const bytes = (fill: number) => new Uint8Array(300).fill(fill);
  const [first = "", ...later] = [
    await store.blob.put(bytes(1)),
    await store.blob.put(bytes(2)),
    await store.blob.put(bytes(3)),
  ];
  await store.blob.get(first);
  const last = await store.blob.put(bytes(4)); // 1,200 bytes: the second goes, it was used before all others
  const left = await Promise.all([first, ...later, last].map((hash) => store.blob.get(hash)));
  expect(left).toEqual([bytes(1), null, bytes(3), bytes(4)]);
  expect(await store.blob.get(await store.blob.put(bytes(2)))).toEqual(bytes(2));
  await store.close();
});

test("decision 32: what a conversation with an open turn refers to goes last: kept outputs and pre-images of its own and its jobs, pictures", async () => {
  let clock = 0;
  const { store } = await openStore({ file: null, now: () => ++clock, blobMaxBytes: () => 2000 });
  const put = (fill: number) => store.blob.put(new Uint8Array(300).fill(fill));
  const [output, before, ofChild, picture, ofOther] = [
    await put(1),
    await put(2),
    await put(3),
    await put(4),
    await put(5),
  ];
  const image = { type: "image", media_type: "image/png", blob: picture } as const;
  const receipts = (output_key: string, hash_before: string | null = null) => [
    {
      ...{ receipt_id: "r1", job_id: null, call_id: "k", tool: "edit", args_hash: "0", started_at: NOW, ended_at: NOW },
      ...{ ok: true, cancelled: false, exit_code: null, output_hash: output_key, output_bytes: 300, output_key },
      ...{ files: [{ path: "/a", hash_before, hash_after: null }], changed_during: null, changed_unknown: null },
      mutation_state: "none" as const,
    },
  ];
  const turn = async (id: string, parent: string | null, kept: ReturnType<typeof receipts>) => {
    const open = await store.turn.open(
      opening(id, { parent, user: { role: "user", content: [image], round: 0, ts: NOW } }),
    );
    await open.close(closing({ receipts: kept }));
  };
  await turn("c", null, receipts(output, before));
  await turn("job", "c", receipts(ofChild));
  await store.turn.open(opening("c"));
  await store.turn.open(opening("gone")).then((open) => open.close(closing({ receipts: receipts(ofOther) })));
  const newer = await put(6);
  for (const fill of [7, 8]) await put(fill); // 2,400 bytes: two have to go
  const left = await Promise.all(
    [output, before, ofChild, picture, ofOther, newer].map((hash) => store.blob.get(hash)),
  );
  expect(left.map((bytes) => bytes?.[0] ?? null)).toEqual([1, 2, 3, 4, null, null]);
  await store.close();
});
