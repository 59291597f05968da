import type { Config } from "@smith/contract/config";
import type { Platform } from "@smith/contract/platform";

/** A user or a chat: the id that the platform gave, and the name that was chosen; null where there is none. */
export interface Named {
  readonly id: string | null;
  readonly name: string | null;
}

/** Who wrote, and where. */
export interface Sender {
  readonly user: Named;
  readonly chat: Named;
}

/** Whether a message may be taken in: nobody may unless named, and where users and chats are named both must be. */
export function isAllowed(gateway: Config["gateway"], platform: Platform, { user, chat }: Sender): boolean {
  const wanted = [
    [entriesOf(gateway.allowed_users, platform), user],
    [entriesOf(gateway.allowed_chats, platform), chat],
  ] as const;
  const named = wanted.filter(([entries]) => entries.length > 0);
  return named.length > 0 && named.every(([entries, given]) => entries.some((entry) => isOf(entry, given)));
}

/** Digits are an id and never a name: anybody may call himself by somebody's id. */
const isOf = (entry: string, { id, name }: Named): boolean =>
  /^-?\d+$/.test(entry) ? entry === id : entry === name?.toLowerCase();

const entriesOf = (ids: Config["gateway"]["allowed_users"], platform: Platform): readonly string[] =>
  (Object.hasOwn(ids, platform) ? (ids[platform] ?? []) : []).map((id) => String(id).toLowerCase());

/** Nobody at all may write there. */
export const isNobody = (gateway: Config["gateway"], platform: Platform): boolean =>
  entriesOf(gateway.allowed_users, platform).length + entriesOf(gateway.allowed_chats, platform).length === 0;
