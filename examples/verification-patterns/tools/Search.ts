/** Indexes a document, proven by its metadata and by finding it. */
import { createHash } from "node:crypto"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Client } from "./Client.ts"
import * as Proven from "./Proven.ts"

/** A document, and its permitted readers. */
export interface Document {
  readonly id: string
  readonly text: string
  readonly folder: string
  readonly readers: ReadonlyArray<string>
}

/** The arguments of the tool: the document, and the digest of its text. */
export const args = (document: Document) => ({
  ...document,
  checksum: createHash("sha256").update(document.text).digest("hex")
})

/** The tool. The retrieval test searches for the document's own words, as its first reader. */
export const index = (client: Client): Proven.Proven => ({
  contract: Proven.contract("vector_index", {
    class: "low_risk_internal",
    input: { id: "string", text: "string", folder: "string", readers: { list: "string" }, checksum: "string" },
    identity: ["id", "checksum"],
    target: "'document/' + args.id",
    options: {
      wants: {
        embedding: "'words-2'",
        index: "observed.version",
        readers: "args.readers",
        id: "args.id",
        checksum: "args.checksum",
        snapshot: "'corpus-' + string(observed.version)"
      },
      confirm: ["document", "checksum", "snapshot", "readable"]
    }
  }),
  code: {
    execute: ({ id, ...body }: Document, { key }) => client.send("POST", `documents/${id}`, { key, body }),
    readback: async (_, { id, readers, text }: Document) => {
      const found = (await client.get(`documents/${id}`)) as JsonObject | undefined
      if (found === undefined) return undefined
      const body = { text, as: readers[0] ?? "" }
      const hits = await client.find("search", body)
      return { ...found, retrieved: hits[0]?.["id"] === id }
    }
  }
})
