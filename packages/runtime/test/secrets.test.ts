import { expect, test } from "vitest";
import { place } from "./place.ts";

const CANARY = "sk-CANARY-0123456789";

test("C20 secrets are masked wherever the configuration is shown, and only there", async () => {
  const here = place();
  here.user({
    llm_config: { api_url: `https://bob:${CANARY}@example.org/v1` },
    providers: [
      { name: "a", kind: "openai_chat", api_key: CANARY, api_key_env: "A_KEY", headers: { "x-auth": CANARY } },
    ],
    mcp_servers: {
      one: { command: "node", env: { TOKEN: CANARY } },
      two: { url: "https://example.org", headers: { authorization: `Bearer ${CANARY}` } },
    },
  });
  const runtime = here.runtime();
  const { host, services } = await runtime.start();
  const paths = [
    "llm_config",
    "llm_config.api_url",
    "providers",
    "mcp_servers",
    "mcp_servers.one.env",
    "mcp_servers.two",
  ];
  const shown = [
    host.config.get(null),
    ...paths.map((path) => host.config.get(path)),
    ...(await Promise.all(paths.map((path) => host.config.explain(path)))),
    ...(await Promise.all(
      ["", "get", "get providers", "explain mcp_servers", "get mcp_servers.one.env.TOKEN"].map((rest) =>
        services.command.run("config", rest),
      ),
    )),
  ];
  expect(shown.map((each) => JSON.stringify(each).includes(CANARY))).toEqual(shown.map(() => false));
  expect(host.config.get("providers")).toEqual([
    { name: "a", kind: "openai_chat", api_key: "***", api_key_env: "A_KEY", headers: { "x-auth": "***" } },
  ]);
  expect(host.config.get("mcp_servers")).toEqual({
    one: { command: "node", env: { TOKEN: "***" } },
    two: { url: "https://example.org", headers: { authorization: "***" } },
  });
  expect(host.config.get("llm_config.api_url")).toBe("https://***@example.org/v1");
  expect(services.config.effective().providers[0]?.api_key).toBe(CANARY);
});

test("C20 C17 fault 213 an address with a login or key in it is not set at run time: the database keeps no key", async () => {
  const here = place();
  const { host, services } = await here.runtime().start();
  const refused = "llm_config.api_url holds a password or key. Write it into the configuration file.";
  for (const url of [
    `https://bob:${CANARY}@e.org/v1`,
    `https://bob:p@${CANARY}@e.org`,
    `https://e.org/?api_key=${CANARY}`,
  ]) {
    await expect(services.command.run("config", `set llm_config.api_url ${url}`)).rejects.toThrow(refused);
    expect(host.config.get("llm_config.api_url")).toBe(undefined);
  }
  here.user({ llm_config: { api_url: `https://bob:p@${CANARY}@e.org/?a=1&api_key=${CANARY}&b=2` } });
  const shown = (await here.runtime().start()).host.config.get("llm_config.api_url");
  expect(shown).toBe("https://***@e.org/?a=1&api_key=***&b=2");
});

test("C20 an error about a secret names it and does not print it", async () => {
  const here = place();
  here.user({
    providers: [
      { name: "a", kind: "ollama", api_key: CANARY },
      { name: "a", kind: "ollama", api_key: CANARY },
    ],
    mcp_servers: { one: { command: "x", url: CANARY, env: { TOKEN: CANARY } } },
    llm_config: { api_url: `ftp://bob:${CANARY}@example.org` },
  });
  const message = await here
    .runtime()
    .start()
    .then(
      () => "",
      (error: Error) => error.message,
    );
  expect(message.split("\n").length).toBeGreaterThan(2);
  expect(message).not.toContain(CANARY);
});
