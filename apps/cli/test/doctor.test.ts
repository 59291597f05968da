import { expect, test } from "vitest";
import { model, place } from "./scene.ts";

const ENTRY = {
  ...{ id: "scripted", context_length: 50_000, pricing: { prompt: "0.000001", completion: "0.000002" } },
  top_provider: { max_completion_tokens: 4000 },
};

test("K11 smith doctor exits 0 where all is well, and with --json prints the checks alone", async () => {
  const llm = await model([], { models: [ENTRY] });
  const here = place({ config: llm.config });
  const { code, stdout, stderr } = await here.run(["doctor", "--json"]);
  const { checks } = JSON.parse(stdout) as {
    checks: { name: string; ok: boolean; detail: string; mend: string | null }[];
  };
  expect([code, stderr, checks.filter(({ ok }) => !ok)]).toEqual([0, "", []]);
  expect(new Set(checks.map((check) => Object.keys(check).join()))).toEqual(new Set(["name,ok,detail,mend"]));
});

test("K11 smith doctor exits 1 when something needed is broken: a file that does not parse, no model; each with its mend", async () => {
  const here = place({ config: '{ "max_rounds": ' });
  const { code, stdout, stderr } = await here.run(["doctor"]);
  expect([code, stderr]).toEqual([1, ""]);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.filter((line) => line.startsWith("✗")).map((line) => line.split(/\s+/)[1])).toEqual(["config", "model"]);
  expect(lines.filter((line) => line.includes("→")).length).toBe(2);
  expect(lines.at(-1)).toBe("2 of 12 checks found something broken.");
});

test("L15 L17 smith models --json lists each model with its window and price, also when it is asked a second time that day", async () => {
  const llm = await model([], { models: [ENTRY, "bare"] });
  const here = place({ config: llm.config });
  const unknown = {
    context_window: null,
    max_output_tokens: null,
    input_per_mtok: null,
    output_per_mtok: null,
    loaded: null,
  };
  const rows = [
    { ...unknown, id: "bare", provider: "default" },
    {
      id: "scripted",
      provider: "default",
      context_window: 50_000,
      max_output_tokens: 4000,
      input_per_mtok: 1,
      output_per_mtok: 2,
      loaded: null,
    },
  ];
  const ends = [await here.run(["models", "--json"]), await here.run(["models", "--json"])];
  const asked = llm.catalog_requests.length;
  ends.push(await here.run(["models", "--json", "--refresh"]));
  expect(ends.map(({ code, stdout, stderr }) => [code, JSON.parse(stdout), stderr])).toEqual(
    Array(3).fill([0, rows, ""]),
  );
  expect(llm.catalog_requests.length).toBeGreaterThan(asked);
  expect(llm.requests.length).toBe(0);
});
