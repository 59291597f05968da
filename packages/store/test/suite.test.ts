import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@smith/store";
import { storeSuite } from "@smith/testkit/suites";

storeSuite("SQLite", async () => {
  const folder = mkdtempSync(join(tmpdir(), "smith-store-"));
  const open = async () => (await openStore({ file: join(folder, "smith.db"), now: Date.now })).store;
  let store = await open();
  return {
    store,
    reopen: async () => {
      await store.close();
      store = await open();
      return store;
    },
    dispose: async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
