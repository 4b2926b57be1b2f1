// Eight tasks of a bot, by a client that openapi-typescript and openapi-fetch make of the served description.
import createClient from "openapi-fetch";
import type { paths } from "./api";

declare const process: { argv: string[] };

const client = createClient<paths>({ baseUrl: process.argv[2] ?? "" });

function must<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`no ${what}`);
  return value;
}

async function main(): Promise<void> {
  const root = await client.GET("/api/v1/");
  must(root.data, "root");

  const found = await client.GET("/api/v1/search/", { params: { query: { q: "hang in ZeRO-3", page_size: 3 } } });
  const first = must(must(found.data, "search").results[0], "result");

  const listed = await client.GET("/api/v1/issues/", {
    params: { query: { framework: ["deepspeed", "megatron-lm"], fields: ["url", "labels"], page_size: 2 } },
  });
  if (must(listed.data, "list").results.some((issue) => issue.id !== undefined)) throw new Error("fields were ignored");

  const issue = await client.GET("/api/v1/issues/{id}/", { params: { path: { id: must(first.id, "id") } } });
  must(must(issue.data, "issue").url, "address");

  const names: string[] = [];
  let cursor: string | undefined = "";
  while (cursor !== undefined) {
    const page: Awaited<ReturnType<typeof frameworks>> = await frameworks(cursor);
    const data = must(page.data, "page");
    names.push(...data.results.map((row) => must(row.slug, "slug")));
    cursor = data.next ? (new URL(data.next).searchParams.get("cursor") ?? undefined) : undefined;
  }
  if (new Set(names).size !== names.length || names.length < 20) throw new Error(`${names.length} frameworks`);

  const similar = await client.POST("/api/v1/search/similar/", {
    body: { title: must(first.title, "title"), framework: must(first.framework, "framework") },
  });
  const chance: number | null = must(must(similar.data, "similar").matches[0], "match").same_fault;
  if (chance !== null && (chance < 0 || chance > 1)) throw new Error("no probability");

  const checked = await client.POST("/api/v1/check", { body: { texts: [{ name: "freeze", text: "deepspeed==0.14.2" }] } });
  must(checked.data, "check");

  const refused = await client.GET("/api/v1/nodes/{scheme}/{axis}/{code}/", {
    params: { path: { scheme: "house", axis: "symptom", code: "no-such-node" } },
  });
  if (must(refused.error, "problem").status !== 404) throw new Error("no problem for what does not exist");
}

async function frameworks(cursor: string) {
  return await client.GET("/api/v1/frameworks/", { params: { query: { cursor, page_size: 10 } } });
}

void main();
