import type { Config } from "@smith/contract/config";
import type { Platform } from "@smith/contract/platform";

/** Who wrote, and where. A platform that has names beside ids gives both. */
export interface Sender {
  readonly users: readonly string[];
  readonly chats: readonly string[];
}

/** Whether a message may be taken in: nobody may unless named, and where users and chats are named both must be. */
export function isAllowed(gateway: Config["gateway"], platform: Platform, { users, chats }: Sender): boolean {
  const wanted = [
    [namesOf(gateway.allowed_users, platform), users],
    [namesOf(gateway.allowed_chats, platform), chats],
  ] as const;
  const named = wanted.filter(([names]) => names.length > 0);
  return named.length > 0 && named.every(([names, given]) => given.some((each) => names.includes(each.toLowerCase())));
}

const namesOf = (ids: Config["gateway"]["allowed_users"], platform: Platform): readonly string[] =>
  (Object.hasOwn(ids, platform) ? (ids[platform] ?? []) : []).map((id) => String(id).toLowerCase());

/** Nobody at all may write there. */
export const isNobody = (gateway: Config["gateway"], platform: Platform): boolean =>
  namesOf(gateway.allowed_users, platform).length + namesOf(gateway.allowed_chats, platform).length === 0;
