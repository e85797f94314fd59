// A console of a test's own: an embedded store in a new directory, and keys in a file that the test may rewrite.
import { expect } from "@playwright/test";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const BIN = process.env["OPSDECK_BIN"] ?? "../target/debug/opsdeck";

export type Served = AsyncDisposable & {
  url: string;
  /** Replaces the list of keys, and waits until `key` is answered with `status`. */
  setKeys: (yaml: string, key: string, status: number) => Promise<void>;
  /** Adds or replaces objects, as another process would. */
  store: (objects: object[]) => void;
  /** Does something as a person with curl would. */
  post: (key: string, path: string, body?: object) => Promise<number>;
};

export async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return String(port);
}

export async function serve({ keys, objects = [], args = [] }: { keys: string; objects?: object[]; args?: string[] }): Promise<Served> {
  const directory = mkdtempSync(join(tmpdir(), "opsdeck-"));
  const file = join(directory, "keys.yaml");
  writeFileSync(file, keys);
  const store = (items: object[]) => {
    const input = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    execFileSync(BIN, ["import", "--data-dir", directory, "-f", "-"], { input });
  };
  if (objects.length > 0) store(objects);
  const [port, metrics] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    BIN,
    ["serve", "--source", "embedded", "--data-dir", directory, "--api-keys-file", file, "--listen", `127.0.0.1:${port}`, "--metrics-listen", `127.0.0.1:${metrics}`, ...args],
    { stdio: "ignore" },
  );
  const ended = once(child, "exit");
  await expect(async () => expect((await fetch(`${url}/readyz`)).ok).toBe(true)).toPass({ timeout: 30_000 });
  return {
    url,
    setKeys: async (yaml, key, status) => {
      writeFileSync(file, yaml);
      const answer = () => fetch(`${url}/api/v1/whoami`, { headers: { "X-API-Key": key } });
      await expect(async () => expect((await answer()).status).toBe(status)).toPass({ timeout: 20_000 });
    },
    store,
    post: async (key, path, body = {}) => {
      const headers = { "X-API-Key": key };
      const answer = await fetch(`${url}/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      return answer.status;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await ended;
      rmSync(directory, { recursive: true });
    },
  };
}
