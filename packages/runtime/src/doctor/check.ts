import type { Check } from "@smith/contract/doctor";

export const good = (name: string, detail: string): Check => ({ name, ok: true, detail, mend: null });
/** It works, and could be better. */
export const fair = (name: string, detail: string, mend: string): Check => ({ name, ok: true, detail, mend });
export const bad = (name: string, detail: string, mend: string): Check => ({ name, ok: false, detail, mend });
