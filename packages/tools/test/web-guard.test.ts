import { expect, test } from "vitest";
import { isPrivate } from "../src/web/guard.ts";
import { scene } from "./scene.ts";
import { NOTATIONS } from "./web-notations.ts";
import { parts, webServer } from "./web-scene.ts";

const codeOf = async (stage: ReturnType<typeof scene>, url: string, tool = "web_fetch") =>
  (await stage.run(tool, { url })).error?.code;

const PRIVATE = [
  ...["127.0.0.1", "127.255.1.2", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254"],
  ...[
    "100.64.0.1",
    "100.100.100.200",
    "0.0.0.0",
    "0.1.2.3",
    "192.0.0.192",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
  ],
  ...["168.63.129.16", "::1", "::", "::ffff:127.0.0.1", "::ffff:7f00:1", "64:ff9b::7f00:1", "64:ff9b::10.0.0.1"],
  ...[
    "64:ff9b:1::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2001::1",
    "::7f00:1",
  ],
];

test("TL37 fault 176 every private address is refused, as a literal and as what a name leads to", async () => {
  let at = "";
  const stage = scene({
    web: { allow_private: false, lookup: async () => [{ address: at, family: at.includes(":") ? 6 : 4 }] },
  });
  const codes: unknown[] = [];
  for (const address of PRIVATE) {
    at = address;
    const literal = address.includes(":") ? `[${address}]` : address;
    codes.push([address, await codeOf(stage, `http://${literal}:1/`), await codeOf(stage, "http://name.test:1/")]);
  }
  expect(codes).toEqual(PRIVATE.map((address) => [address, "private_address", "private_address"]));
});

test("TL37 fault 176 no notation gets past the guard, and both web tools have it", async () => {
  const written = [
    ...["0x7f000001", "2130706433", "127.1", "0177.0.0.1", "①②⑦.⓪.⓪.①", "127.0.0.1.", "0", "localhost", "LOCALHOST"],
    ...["[::ffff:127.0.0.1]", "[0:0:0:0:0:0:0:1]", "user@127.0.0.1", "127。0。0。1"],
  ];
  const stage = scene({ web: { allow_private: false } });
  const codes = await Promise.all(
    written.flatMap((host) => [codeOf(stage, `http://${host}:1/`), codeOf(stage, `http://${host}:1/`, "http_request")]),
  );
  expect(codes).toEqual(written.flatMap(() => ["private_address", "private_address"]));
});

const ALL = Object.values(NOTATIONS);

test(`TL37 fault 176 ${ALL.flatMap((each) => [...each.private, ...(each.invalid ?? [])]).length} notations of private addresses lead nowhere, asked for and redirected to`, async () => {
  const inner = await webServer((_request, response) => response.end("secret"), "127.0.0.2");
  const web = await webServer((request, response) => {
    response.writeHead(302, { location: decodeURIComponent((request.url ?? "").slice(2)) }).end();
  });
  const lookup = async () => [{ address: "127.0.0.2", family: 4 }]; // whatever is no literal leads there
  const asked = scene({ web: { allow_private: false, lookup } });
  const behind = (address: string) => address !== "127.0.0.1" && isPrivate(address);
  const through = scene({ web: { allow_private: false, lookup, refuses: behind } });
  const codes = async (host: string) => {
    const target = `http://${host}:${inner.port}/`;
    const direct = [await codeOf(asked, target), await codeOf(asked, target, "http_request")];
    if (!/^[ -~]+$/.test(host)) return [host, ...direct]; // no header can hold it
    return [host, ...direct, await codeOf(through, web.url(`/?${encodeURIComponent(target)}`))];
  };
  const wrong: unknown[] = [];
  for (const { private: refused, invalid = [] } of ALL) {
    const rows = await Promise.all([...refused, ...invalid].map(codes));
    wrong.push(
      ...rows.filter(([host = "", ...all]) =>
        all.some((code) => code !== (refused.includes(host) ? "private_address" : "invalid_url")),
      ),
    );
  }
  expect(wrong).toEqual([]);
  expect(inner.asked).toEqual([]);
});

test("TL37 public addresses pass the guard, mapped ones too", async () => {
  const open = ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"];
  expect(open.filter(isPrivate)).toEqual([]);
});

test("TL37 fault 177 one private address among several is enough, and the name is looked up once a hop", async () => {
  let asked = 0;
  const found = [
    { address: "93.184.216.34", family: 4 },
    { address: "10.0.0.1", family: 4 },
  ];
  const lookup = async () => {
    asked++;
    return found;
  };
  const stage = scene({ web: { allow_private: false, lookup } });
  const { error } = await stage.run("web_fetch", { url: "http://two.test/" });
  expect([asked, error]).toEqual([
    1,
    {
      kind: "policy",
      code: "private_address",
      message:
        "two.test leads to 10.0.0.1, a private, loopback, link-local or metadata address. Web tools reach the public internet only; services.tool.web.allow_private = true lifts that.",
    },
  ]);
});

/** 127.0.0.1 stands for the public internet, 127.0.0.2 for what is behind it. */
const refuses = (address: string) => address !== "127.0.0.1";

test("TL37 fault 177 178 a redirect is checked as the first address was: literal, rebound name, scheme", async () => {
  const inner = await webServer((_request, response) => response.end("secret"), "127.0.0.2");
  const web = await webServer((request, response) => {
    const to: Readonly<Record<string, string>> = {
      "/literal": inner.url("/"),
      "/rebound": "/again",
      "/file": "file:///etc/passwd",
      "/loop": "/loop",
    };
    const location = to[request.url ?? ""];
    if (location === undefined) response.end("public");
    else response.writeHead(302, { location }).end();
  });
  const answers = ["127.0.0.1", "127.0.0.2"];
  const lookup = async () => [{ address: answers.shift() ?? "127.0.0.1", family: 4 }];
  const stage = scene({ web: { allow_private: false, refuses, lookup } });
  const at = (path: string) => `http://name.test:${web.port}${path}`;
  expect(await codeOf(stage, at("/rebound"))).toBe("private_address");
  expect(await codeOf(stage, at("/literal"))).toBe("private_address");
  expect(await codeOf(stage, at("/file"))).toBe("invalid_url");
  expect(await codeOf(stage, at("/loop"))).toBe("too_many_redirects");
  expect(parts((await stage.run("web_fetch", { url: at("/ok") })).content).text).toBe("public");
  expect(inner.asked).toEqual([]);
  expect(web.asked.filter((each) => each === "GET /loop").length).toBe(6);
});
