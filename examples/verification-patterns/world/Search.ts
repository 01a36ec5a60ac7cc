/**
 * A search service: documents with readers, embeddings of a pinned model, and an exact index of cosines that is built
 * from time to time.
 *
 * An embedding counts the words of a text in 64 buckets; the model assigns words to buckets. A search uses the index
 * of the last build, and shows only documents that the caller may read.
 */
import { createHash } from "node:crypto"
import { setTimeout } from "node:timers"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Router from "./Router.ts"
import type { Tenant } from "./Tenant.ts"

const buildMillis = 15
const sizes = 64

const embed = (model: string, text: string): ReadonlyArray<number> => {
  const vector = Array.from({ length: sizes }, () => 0)
  for (const word of text.toLowerCase().split(/\W+/)) {
    const bucket = createHash("sha256").update(`${model} ${word}`).digest().readUInt8(0) % sizes
    vector[bucket] = (vector[bucket] ?? 0) + 1
  }
  return vector
}

const cosine = (left: ReadonlyArray<number>, right: ReadonlyArray<number>): number => {
  const dot = (a: ReadonlyArray<number>, b: ReadonlyArray<number>) =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
  const size = Math.sqrt(dot(left, left) * dot(right, right))
  return size === 0 ? 0 : dot(left, right) / size
}

const model = (tenant: Tenant): string => String(tenant.setting("model") ?? "words-2")
const list = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

/** Builds the index from the documents as they are now. */
const build = (tenant: Tenant): void => {
  if (tenant.setting("indexerStopped") === true) return
  const version = Number(tenant.get("index", "state")?.["version"] ?? 0)
  const hidden = tenant.setting("excludes")
  for (const { body, id } of tenant.all("documents")) {
    const isHidden = typeof hidden === "string" && String(body["text"]).includes(hidden)
    const vector = isHidden ? null : embed(String(body["embedding"]), String(body["text"]))
    tenant.put("entries", id, { document: id, vector, index: Math.max(version, Number(body["accepted"])) })
  }
  const last = tenant.all("documents").reduce((sum, { body }) => Math.max(sum, Number(body["accepted"])), version)
  tenant.put("index", "state", { version: last, snapshot: `corpus-${last}` })
}

const accept = ({ body, path, tenant }: Router.Request): Router.Reply => {
  const id = path["id"] ?? ""
  const accepted = Number(tenant.get("index", "accepted")?.["version"] ?? 0) + 1
  tenant.put("index", "accepted", { version: accepted })
  const text = String(body["text"])
  const checksum = createHash("sha256").update(text).digest("hex")
  // A near copy of a document is not added again.
  const twin = tenant.all("documents").find((other) => other.id !== id && other.body["checksum"] === checksum)
  if (tenant.setting("dropsCopies") === true && twin !== undefined) return Router.json({ id, version: accepted }, 202)
  const folder = list(tenant.get("folders", String(body["folder"]))?.["readers"])
  const readers = [...new Set([...list(body["readers"]), ...folder])]
  tenant.put("documents", id, { id, text, readers, checksum, accepted, embedding: model(tenant) })
  setTimeout(() => build(tenant), buildMillis)
  return Router.json({ id, version: accepted }, 202)
}

const search = ({ body, tenant }: Router.Request): Router.Reply => {
  const found = tenant.all("entries").flatMap(({ body: entry, id }) => {
    const document = tenant.get("documents", id)
    if (document === undefined || entry["vector"] === null || !list(document["readers"]).includes(body["as"] ?? ""))
      return []
    const asked = embed(String(document["embedding"]), String(body["text"]))
    return [{ id, score: cosine(asked, entry["vector"] as ReadonlyArray<number>) }]
  })
  return Router.json(found.sort((left, right) => right.score - left.score).slice(0, 5))
}

const metadata = ({ path, tenant }: Router.Request): Router.Reply => {
  const id = path["id"] ?? ""
  const document: JsonObject | undefined = tenant.get("documents", id)
  if (document === undefined) return Router.missing
  const { version = 0, snapshot = null } = tenant.get("index", "state") ?? {}
  return Router.json({ ...document, index: version, snapshot })
}

/** The search service. */
export const service: Router.Service = {
  "POST /documents/:id": accept,
  "GET /documents/:id": metadata,
  "POST /search": search
}
