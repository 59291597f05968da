import { expect, test } from "vitest";
import { openStore } from "../src/index.ts";

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
