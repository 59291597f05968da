import type { Config } from "@smith/contract/config";
import type { Platform } from "@smith/contract/platform";
import { isAllowed, type Sender } from "./allow.ts";
import type { Adapter, Say } from "./platform.ts";
import type { Wait } from "./reconnect.ts";
import type { Env } from "./settings.ts";

/** What an adapter is made of. */
export interface AdapterParts {
  readonly env: Env;
  /** Whether the sender of a message is let in. Tells of one who is not, once. */
  readonly isWelcome: (sender: Sender) => boolean;
  readonly say: Say;
  readonly wait: Wait;
  /** Where the platform is; default: where it really is. */
  readonly url?: string | undefined;
  /** It has ended by itself and won't come back. */
  fail(reason: string): void;
}

/** One that has no credentials: it says so once, and takes nothing in. */
export const createIdle = (name: Platform, missing: string, say: Say): Adapter =>
  Object.freeze({
    name,
    async start() {
      say(`${name}: idle: ${missing} must be set.`);
    },
    async stop() {},
  });

/** Strangers that are told of, a platform; a crowd of them must not fill the log. */
const TOLD = 200;

export function createDoorman(gateway: Config["gateway"], platform: Platform, say: Say): AdapterParts["isWelcome"] {
  const told = new Set<string>();
  return (sender) => {
    if (isAllowed(gateway, platform, sender)) return true;
    const [user, chat] = [sender.user, sender.chat].map(({ id, name }) => id ?? name ?? "?");
    const stranger = `${user}/${chat}`;
    if (told.has(stranger) || told.size >= TOLD) return false;
    told.add(stranger);
    say(
      `${platform}: ignored a message of user ${user} in chat ${chat}. To let it in, name them in gateway.allowed_users.${platform} or gateway.allowed_chats.${platform}.`,
    );
    return false;
  };
}
