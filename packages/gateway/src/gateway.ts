import { AgentError, toAgentError } from "@smith/contract/error";
import { CREDENTIALS, PLATFORMS, type Platform } from "@smith/contract/platform";
import { backoffMs, sleep } from "@smith/contract/wait";
import type { Runtime } from "@smith/runtime";
import { type AdapterParts, createDoorman, createIdle } from "./adapter.ts";
import { type Bus, type Caps, createBus } from "./bus.ts";
import { createDue } from "./due.ts";
import type { Adapter, Inbound, Say } from "./platform.ts";
import { createDiscreet } from "./reply.ts";
import { type Env, filled, secretsOf, webhookSettings } from "./settings.ts";
import { chatLayer } from "./tools.ts";

export interface GatewayOptions {
  /** Made with {@link chatOptions}, not started yet. */
  readonly runtime: Runtime;
  /** Names as they were typed; none: the webhook. */
  readonly platforms: readonly string[];
  readonly env: Env;
  /** Folder of the project, whose absolute path no chat is shown. */
  readonly cwd: string;
  readonly say: Say;
  /** Where a platform is, other than where it really is. */
  readonly urls?: Partial<Readonly<Record<Platform, string>>>;
  readonly caps?: Caps;
}

export interface Gateway {
  readonly bus: Bus;
  /** The platforms whose messages come in. */
  running(): readonly Platform[];
  /** Resolves when nothing runs any more: after a close, or when the last adapter has failed for good. */
  readonly ended: Promise<void>;
  /** Takes nothing more in, finishes what was taken in, at most `ms`, and closes the runtime. Safe to call twice. */
  close(ms?: number): Promise<void>;
}

/** Ms that turns may still take when the gateway is told to end; service managers wait 30 s or more. */
export const DRAIN_MS = 25_000;

/** Ms after that for what is on its way: an answer that is being sent, half a request. */
const LAST_MS = 3000;

/**
 * Starts the bus and an adapter for each platform.
 * @throws {AgentError} `schema`/`config` or `no_model`, `policy`/`required_plugin`, `transport`/`auth` for a missing key: nothing runs then.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { runtime, env, say, caps } = options;
  const platforms = platformsOf(options.platforms, say);
  const { services, host, notices } = await runtime.start();
  for (const text of [...notices.map((notice) => notice.text), ...(await host.plugins.warnings())]) say(text);
  await host.plugins.ready();
  services.config.overlay(chatLayer(services.config.effective()));
  const config = services.config.effective();
  const webhook = platforms.includes("webhook") ? webhookSettings(config, env) : null;
  const choice = await runtime.model();
  await services.model.connect(choice); // a missing key is found now, not by the first message
  say(`${choice.model} of ${choice.provider} answers (${choice.source}).`);
  const discreet = createDiscreet(secretsOf(config, env, [options.cwd, host.session.root() ?? options.cwd]));
  const bus = await createBus({ runtime, discreet, ...(caps === undefined ? {} : { caps }) });
  const live = new Set<Adapter>();
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const fail = (adapter: () => Adapter | null, reason: string) => {
    const failed = adapter();
    if (failed === null || !live.delete(failed)) return;
    say(`${failed.name}: stopped: ${reason}`);
    if (live.size === 0) end();
  };
  for (const name of platforms) {
    let made: Adapter | null = null;
    const parts: AdapterParts = {
      wait: { sleep, backoffMs },
      ...{
        env,
        say,
        url: options.urls?.[name] ?? ownServer(name, env),
        isWelcome: createDoorman(config.gateway, name, say),
      },
      fail: (reason) => fail(() => made, reason),
    };
    for (const text of webhook?.warnings ?? []) if (name === "webhook") say(text);
    made = await begin(name, { parts, bus, webhook, say });
    if (made !== null) live.add(made);
  }
  if (live.size === 0) {
    await runtime.close("no platform could start");
    throw noPlatform(`None of ${platforms.join(", ")} can start; the lines above say why.`);
  }
  let closing: Promise<void> | null = null;
  return Object.freeze({
    ...{ bus, ended, running: () => [...live].map(({ name }) => name) },
    close(ms = DRAIN_MS) {
      closing ??= closeAll([...live], { bus, runtime, ms }).then(end);
      return closing;
    },
  });
}

/** Whatever hangs, the runtime is closed. */
async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, over]).finally(() => clearTimeout(timer));
}

/** Telegram's server can be run by oneself. */
const ownServer = (name: Platform, env: Env): string | undefined =>
  name === "telegram" ? (filled(env["SMITH_TELEGRAM_API_URL"]) ?? undefined) : undefined;

async function closeAll(
  adapters: readonly Adapter[],
  { bus, runtime, ms }: { bus: Bus; runtime: Runtime; ms: number },
): Promise<void> {
  const late = new AbortController();
  const stopped = Promise.allSettled(adapters.map((adapter) => adapter.stop(late.signal)));
  await atMost(ms + LAST_MS, bus.drain(ms));
  await atMost(LAST_MS, stopped);
  late.abort();
  await atMost(LAST_MS, stopped);
  await runtime.close("the gateway closed");
}

/** Known names, each once. @throws {AgentError} `schema`/`config` when none is left. */
function platformsOf(names: readonly string[], say: Say): readonly Platform[] {
  const wanted = names.length === 0 ? ["webhook"] : [...new Set(names.map((name) => name.toLowerCase()))];
  const known = PLATFORMS.filter((platform) => wanted.includes(platform));
  const there = `There are: ${PLATFORMS.join(", ")}.`;
  const unknown = wanted.filter((name) => !PLATFORMS.some((platform) => platform === name));
  if (known.length === 0)
    throw noPlatform(`There is no platform ${unknown.map((name) => JSON.stringify(name)).join(", ")}. ${there}`);
  for (const name of unknown) say(`There is no platform ${JSON.stringify(name)}; it is left out. ${there}`);
  return known;
}

const noPlatform = (message: string): AgentError =>
  new AgentError({ kind: "schema", code: "config", origin: "gateway/gateway", message });

interface BeginParts {
  readonly parts: AdapterParts;
  readonly bus: Bus;
  readonly webhook: ReturnType<typeof webhookSettings> | null;
  readonly say: Say;
}

/** Makes and starts an adapter; null when it is idle or could not start, which is no trouble of the others. */
async function begin(name: Platform, { parts, bus, webhook, say }: BeginParts): Promise<Adapter | null> {
  try {
    const made = await create(name, parts, webhook);
    if (typeof made === "string") {
      await createIdle(name, made, say).start(bus.receive);
      return null;
    }
    const left = made.deliver === undefined ? [] : await bus.left(name);
    await made.start(bus.receive);
    deliver(left, made, { bus, say });
    return made;
  } catch (thrown) {
    say(`${name}: could not start: ${toAgentError(thrown, `gateway/${name}`).message}`);
    return null;
  }
}

/** An adapter, or the names of the variables that it lacks. Each is loaded only where it is asked for. */
async function create(name: Platform, parts: AdapterParts, webhook: BeginParts["webhook"]): Promise<Adapter | string> {
  if (webhook !== null && name === "webhook") {
    return (await import("./webhook.ts")).createWebhook({ settings: webhook, say: parts.say });
  }
  const names = CREDENTIALS[name];
  const missing = names.filter((variable) => filled(parts.env[variable]) === null);
  if (missing.length > 0) return missing.join(", ");
  const [token = "", nick = "", channels = ""] = names.map((variable) => filled(parts.env[variable]) ?? "");
  if (name === "telegram") return (await import("./telegram.ts")).createTelegram({ ...parts, token });
  if (name === "discord") return (await import("./discord.ts")).createDiscord({ ...parts, token });
  const rooms = channels.split(/[\s,]+/).filter((channel) => channel !== "");
  return (await import("./twitch.ts")).createTwitch({ ...parts, token, nick, channels: rooms });
}

/** Has what was left before a restart answered, before anything new comes in. */
function deliver(
  left: readonly Inbound[],
  { name, deliver: send }: Adapter,
  { bus, say }: Pick<BeginParts, "bus" | "say">,
) {
  const due = createDue(bus.receive, (line) => say(`${name}: ${line}`));
  for (const message of left) {
    void due.take(message, { send: async (reply) => send?.(message.chat_id, reply) });
  }
}
