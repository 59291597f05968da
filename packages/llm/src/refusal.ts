import { complaintIn, retryAfterMs } from "./complaint.ts";
import { type FarEnd, redirectError, statusError } from "./errors.ts";
import type { Head, Reader } from "./http.ts";

/** Bytes of an error body that are read. */
const ENOUGH = 64 * 2 ** 10;

/** Reads the body of any status but 2xx, as far as it comes, and throws what it means. */
export function createRefusalReader(far: FarEnd, { status, headers }: Head): Reader<never> {
  if (status >= 300 && status < 400) throw redirectError(far, status, headers.location);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  return {
    take(chunk) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      return bytes < ENOUGH ? "part" : "done";
    },
    end() {
      const complaint = complaintIn(Buffer.concat(chunks).toString());
      throw statusError(far, { status, complaint, retry_after_ms: retryAfterMs(headers, Date.now()) });
    },
  };
}

export const isSuccess = ({ status }: Head): boolean => status >= 200 && status < 300;
