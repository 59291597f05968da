import { Config } from "@smith/contract/config";
import type { Check } from "@smith/contract/doctor";
import { CREDENTIALS, isLoopback, PLATFORMS, type Platform } from "@smith/contract/platform";
import { bad, fair, good } from "./check.ts";
import type { Patient } from "./doctor.ts";

type Gateway = Config["gateway"];

/** The chat gateway, as far as something of it is set: who may write, and where it listens. */
export async function gateway({ env, sources, with: { readConfigFiles } }: Patient): Promise<readonly Check[]> {
  const files = await readConfigFiles(sources).catch(() => null); // what is wrong with them is said elsewhere
  const parsed = Config.safeParse(files?.user?.layer ?? {});
  if (!parsed.success) return [];
  const settings = parsed.data.gateway;
  const isSet = (name: string) => (env[name] ?? "").trim() !== "";
  return [
    ...webhook(settings, env),
    ...PLATFORMS.flatMap((platform) => chats(platform, settings, isSet)),
    ...strangePlatforms(settings),
  ];
}

/** Shorter ones can be guessed. */
const TOKEN_CHARS = 16;

function webhook({ bind: configured }: Gateway, env: Patient["env"]): readonly Check[] {
  const token = (env["SMITH_GATEWAY_TOKEN"] ?? "").trim();
  const bind = env["SMITH_GATEWAY_BIND"]?.trim() || configured;
  const name = "gateway webhook";
  if (token === "" && isLoopback(bind)) return [];
  if (token === "") {
    const mend = "Set SMITH_GATEWAY_TOKEN, or bind 127.0.0.1.";
    return [bad(name, `it would listen on ${bind} without a token, and does not start so`, mend)];
  }
  if (token.length >= TOKEN_CHARS) return [good(name, `${bind}, with a token`)];
  return [fair(name, `its token has ${token.length} characters`, `Take ${TOKEN_CHARS} or more, by chance.`)];
}

function chats(platform: Platform, settings: Gateway, isSet: (name: string) => boolean): readonly Check[] {
  const [users, rooms] = [count(settings.allowed_users, platform), count(settings.allowed_chats, platform)];
  const variables = CREDENTIALS[platform];
  const missing = variables.filter((name) => !isSet(name));
  const isWanted = missing.length < variables.length || users + rooms > 0;
  if (variables.length === 0 || !isWanted) return [];
  const name = `gateway ${platform}`;
  if (missing.length > 0) return [fair(name, `${missing.join(", ")} must be set: it is idle`, "Set it.")];
  if (users + rooms > 0) return [good(name, `${users} users and ${rooms} chats are let in`)];
  const mend = `Name them in gateway.allowed_users.${platform} or gateway.allowed_chats.${platform}; a message that is ignored shows its ids on stderr.`;
  return [fair(name, "nobody is let in", mend)];
}

const count = (ids: Gateway["allowed_users"], platform: Platform): number =>
  Object.hasOwn(ids, platform) ? (ids[platform] ?? []).length : 0;

/** The webhook has no list: it is guarded by where it listens, and by its token. */
function strangePlatforms({ allowed_users, allowed_chats }: Gateway): readonly Check[] {
  const listed = PLATFORMS.filter((platform) => CREDENTIALS[platform].length > 0);
  return [...new Set([...Object.keys(allowed_users), ...Object.keys(allowed_chats)])]
    .filter((name) => !listed.some((platform) => platform === name))
    .map((name) =>
      fair(
        "gateway",
        `a list of ${JSON.stringify(name)} is for no platform`,
        `Those with lists: ${listed.join(", ")}.`,
      ),
    );
}
