/** Texts by digest, as statements keep them. */
import type * as Digest from "@backstitch/trace/Digest"
import type * as Queries from "../queries/Queries.ts"
import { toBytes } from "../queries/Tables.ts"
import * as BinaryArray from "./binaryArray.ts"

/** Keeps texts from two arrays, which begin at a parameter. Existing texts stay. */
export const insertion = (first: number): string =>
  `insert into blob (digest, text) select * from unnest($${first}::bytea[], $${first + 1}::text[]) on conflict do nothing`

/** digests, texts */
export const insert: Queries.Query<never> = { name: "insert-blobs", sql: insertion(1) }

/** Always in the same order, so that two processes that keep the same texts wait for each other without a deadlock. */
export const columnsOf = (blobs: ReadonlyMap<Digest.Digest, string>): [digests: Buffer, texts: Buffer] => {
  const sorted = [...blobs].sort(([left], [right]) => (left < right ? -1 : 1))
  return [
    BinaryArray.ofBytes(sorted.map(([digest]) => toBytes(digest))),
    BinaryArray.ofTexts(sorted.map(([, text]) => text))
  ]
}
