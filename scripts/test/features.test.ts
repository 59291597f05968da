import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";

const { provenRows } = await import(pathToFileURL(join(import.meta.dirname, "..", "features.mjs")).href);

const told = (...titles: string[]) => [...provenRows(titles.map((title) => ({ title, file: "a", status: "passed" })))];
const row = (id: string, sentence: string) => [id, [{ sentence, file: "a" }]];

test("a title proves the rows at its head, with a colon behind the last of them or without", () => {
  expect(told("TL22 TL24 edit keeps CRLF")).toEqual([row("TL22", "edit keeps CRLF"), row("TL24", "edit keeps CRLF")]);
  expect(told("G19 G20: it is idle")).toEqual([row("G19", "it is idle"), row("G20", "it is idle")]);
  expect(told("B96, G25 nothing is lost").map(([id]) => id)).toEqual(["B96", "G25"]);
  expect(told("A1 API: the program as it stands")).toEqual([row("A1", "API: the program as it stands")]);
});

test("faults and promises among the ids prove no row, and stand in what is said; the policy's P1 to P7 do", () => {
  expect(told("fault 144 TL15 faults 3 16 TL16 a timeout")).toEqual([
    row("TL15", "fault 144 faults 3 16 a timeout"),
    row("TL16", "fault 144 faults 3 16 a timeout"),
  ]);
  expect(told("K11 promises P2 P6 TL15 damage is found").map(([id]) => id)).toEqual(["K11", "TL15"]);
  expect(told("P6 P16 the matrix").map(([id]) => id)).toEqual(["P6", "P16"]);
  expect(told("TL15 30 kills")).toEqual([row("TL15", "30 kills")]);
});

test("what is no row, stands further back, or did not pass proves nothing", () => {
  expect(
    told("fault 236: nothing is lost", "decision 5: a ceiling", "ZZ9 no such area", "an id TL22 in the middle"),
  ).toEqual([]);
  expect([...provenRows([{ title: "TL22 edit", file: "a", status: "failed" }])]).toEqual([]);
});
