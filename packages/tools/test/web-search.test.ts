import { expect, test } from "vitest";
import { scene } from "./scene.ts";
import { parts, webServer } from "./web-scene.ts";

test("TL33 Q12 linkup is asked with its key and settings, and its answer comes with numbered sources", async () => {
  const got: unknown[] = [];
  const web = await webServer((request, response) => {
    const reply = async () => {
      let body = "";
      for await (const piece of request) body += piece;
      got.push(request.headers.authorization, JSON.parse(body));
      response.end(JSON.stringify({ answer: "42", sources: [{ name: "N", url: "https://n.test/", snippet: "s" }] }));
    };
    void reply();
  });
  const search_config = { endpoint: web.url("/v1/search"), depth: "deep", api_key_env: "MY_KEY" };
  const { run } = scene({ env: { MY_KEY: "canary" }, web: { allow_private: false, search_config } });
  const { ok, content } = await run("web_search", { query: "q", max_results: 3 });
  expect({ ok, ...parts(content), asked: web.asked, got }).toEqual({
    ok: true,
    header: "1 results",
    text: "42\n\n1. N\n   https://n.test/\n   s",
    notes: "",
    asked: ["POST /v1/search"],
    got: ["Bearer canary", { q: "q", depth: "deep", outputType: "sourcedAnswer", maxResults: 3 }],
  });
});

const link = (to: string) => `//duckduckgo.com/l/?uddg=${encodeURIComponent(to)}&amp;rut=1`;

test("TL34 Q12 without a key duckduckgo is read: links unwrapped, advertisements left out", async () => {
  const html =
    '<a rel="nofollow" class="result__a" href="https://duckduckgo.com/y.js?ad=1">Ad</a>' +
    `<h2><a rel="nofollow" class="result__a" href="${link("https://a.test/?x=1&y=2")}">A <b>&amp;</b> B</a></h2>` +
    `<a class="result__snippet" href="#">some <b>words</b></a>` +
    `<a class="result__a" href="https://b.test/">B</a>`;
  const web = await webServer((request, response) => response.end(request.url?.endsWith("q=none") ? "<p>" : html));
  const stage = scene({ env: {}, web: { allow_private: false, search_config: { endpoint: web.url("/html/") } } });
  expect(parts((await stage.run("web_search", { query: "c++ & d" })).content).text).toBe(
    "1. A & B\n   https://a.test/?x=1&y=2\n   some words\n2. B\n   https://b.test/",
  );
  expect((await stage.run("web_search", { query: "none" })).content).toBe("no results");
  expect(web.asked).toEqual(["GET /html/?q=c%2B%2B+%26+d", "GET /html/?q=none"]);
});

test("fault 182 a search service that fails, or has no key, is a failed call with the mend", async () => {
  const web = await webServer((_request, response) => response.writeHead(502).end());
  const failed = scene({ env: {}, web: { allow_private: false, search_config: { endpoint: web.url("/") } } });
  const keyless = scene({ env: {}, web: { allow_private: false, search_config: { backend: "linkup" } } });
  const throwing = scene({ web: { allow_private: false, search: () => Promise.reject("no error object") } });
  const errors = [failed, keyless, throwing].map(
    async (stage) => (await stage.run("web_search", { query: "q" })).error?.message,
  );
  expect(await Promise.all(errors)).toEqual([
    `search_failed: ${web.url("/")} answered 502. Try again later.`,
    'search_failed: linkup needs a key in LINKUP_API_KEY. Set it, or services.tool.web_search.backend = "duckduckgo", which needs no key.',
    "search_failed: no error object",
  ]);
});

test("TL35 an injected search takes the place of the network and is held to the count", async () => {
  const hit = { title: "t", url: "https://t.test/", snippet: "" };
  const { run } = scene({ web: { allow_private: false, search: async () => ({ answer: null, hits: [hit, hit] }) } });
  expect(parts((await run("web_search", { query: "q", max_results: 1 })).content)).toEqual({
    header: "1 results",
    text: "1. t\n   https://t.test/",
    notes: "",
  });
});
