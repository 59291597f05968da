import type { SearchAnswer, SearchQuery } from "@smith/contract/search";
import type { Store } from "@smith/contract/store";
import type Database from "better-sqlite3";
import type { Access } from "../access.ts";
import { mayBeOfIndex } from "../errors.ts";
import { find } from "../search/find.ts";
import { STALE } from "../search/tables.ts";

/** Full text. The tables are made anew where they were marked as stale, or turn out to be damaged. */
export function search({ kv, run }: Access, db: Database.Database): Store["search"] {
  const rebuild = (): number => kv.write(() => kv.index.rebuild());
  const look = (query: SearchQuery): SearchAnswer => kv.read(() => find(db, kv, query));
  const findOrMend = (query: SearchQuery): SearchAnswer => {
    if (kv.get("meta", STALE) !== null) rebuild();
    try {
      return look(query);
    } catch (error) {
      if (!mayBeOfIndex(error)) throw error;
      rebuild(); // nothing is lost with the tables: the text stands elsewhere
      return look(query);
    }
  };
  return Object.freeze<Store["search"]>({
    find: (query) => run(() => findOrMend(query)),
    rebuild: () => run(rebuild),
  });
}
