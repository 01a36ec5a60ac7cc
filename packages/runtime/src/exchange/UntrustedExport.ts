/**
 * Checks of an export that arrives from a party whom the owner of the store need not trust, beyond its chain.
 *
 * **When to use** before an import over a network. Such a file has to bring everything that it names, since a store
 * keeps texts by digest for all tenants, and a name alone would show what another tenant has (L15). It may bring no
 * functions, since they run in the process that folds the run, and are no program in a sandbox.
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackPurity from "@backstitch/reducer/PackPurity"
import * as PackRules from "@backstitch/reducer/PackRules"
import * as Snapshot from "@backstitch/reducer/Snapshot"
import * as Canonical from "@backstitch/trace/Canonical"
import { type Digest, zero } from "@backstitch/trace/Digest"
import type * as Export from "@backstitch/trace/Export"
import * as Node from "@backstitch/trace/Node"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { bodyOf } from "../history/readAncestors.ts"
import { pinnedTexts } from "./pinnedTexts.ts"

/** Error for a file that names a text which is not in it, or in it in a form that nobody can read. */
export class ExportPartial extends Schema.TaggedError<ExportPartial>("@backstitch/runtime/ExportPartial")(
  "ExportPartial",
  { run: Schema.String, digest: Schema.String, found: Schema.Literals(["missing", "unreadable"]) }
) {
  override get message(): string {
    const what = this.found === "missing" ? "is not in the file" : "cannot be read"
    return `Run ${this.run} relies on the text ${this.digest}, which ${what}. Export the run from a store that has the text`
  }
}

/** Error for a file whose pack, or an extension of it, carries functions. */
export class ExportCarriesCode extends Schema.TaggedError<ExportCarriesCode>("@backstitch/runtime/ExportCarriesCode")(
  "ExportCarriesCode",
  { run: Schema.String, place: Schema.String }
) {
  override get message(): string {
    return (
      `Run ${this.run} brings a function (${this.place}), which would run in this process. An operator who has ` +
      "reviewed the pack imports the file from the command line"
    )
  }
}

/** Finds the first reason why an untrusted export may not be imported; `undefined` if there is none. */
export const refusal = (exported: Export.Export): ExportPartial | ExportCarriesCode | undefined =>
  found(exported, (place) => new ExportCarriesCode({ run: exported.run.id, place }))

/** Finds the first text that an export names and does not bring; `undefined` if it is whole. */
export const lack = (exported: Export.Export): ExportPartial | undefined => found(exported, () => undefined)

const found = <E>(
  exported: Export.Export,
  carries: (place: string) => E | undefined
): ExportPartial | E | undefined => {
  const run = exported.run.id
  const pending: Array<Digest> = []
  for (const sealed of exported.transitions) {
    pending.push(...pinnedTexts(sealed))
    const extension = extendsWithCode(bodyOf(sealed)?.data) ? carries(`tick ${sealed.tick}`) : undefined
    if (extension !== undefined) return extension
  }
  // The state in which a pack begins is in no file, since it follows from the pack.
  const seen = new Set<Digest>([Fold.initialDigest({ working: {}, world: {} })])
  const missing = new Set<Digest>()
  for (let digest = pending.pop(); digest !== undefined; digest = pending.pop()) {
    if (seen.has(digest)) continue
    const text = exported.blobs.get(digest)
    if (text === undefined) {
      missing.add(digest)
      continue
    }
    seen.add(digest)
    const read = Result.try(() => brought(text))
    if (Result.isFailure(read)) return new ExportPartial({ run, digest, found: "unreadable" })
    const { below, code, implied } = read.success
    const carried = code === undefined ? undefined : carries(code)
    if (carried !== undefined) return carried
    if (implied !== undefined) seen.add(implied)
    pending.push(...below)
  }
  for (const digest of missing) if (!seen.has(digest)) return new ExportPartial({ run, digest, found: "missing" })
  return undefined
}

/** The content of a text: the digests that it names, the first function, and the state in which a pack begins. */
interface Brought {
  readonly below: ReadonlyArray<Digest>
  readonly code?: string | undefined
  readonly implied?: Digest
}

const brought = (text: string): Brought => {
  const content = text.slice(text.indexOf("\n") + 1)
  if (text.startsWith("backstitch.initial.1\n")) return { below: Snapshot.roots(content).filter(isStored) }
  if (!text.startsWith("backstitch.pack.1\n")) return { below: Node.children(text) }
  const pack = Result.getOrThrow(TaskPack.fromJson(Canonical.parse(content)))
  const code = PackPurity.functions(pack)[0]?.id
  return { below: [], code, implied: Fold.initialDigest(PackRules.of(pack).initial) }
}

/** An empty table or list has no text. */
const isStored = (digest: Digest): boolean => digest !== zero

/** Tells whether the data of a transition add violations that are judged by functions. */
const extendsWithCode = (data: unknown): boolean => {
  const added = Canonical.isObject(data as Canonical.Json)
    ? (data as Canonical.JsonObject)["adds_violations"]
    : undefined
  return Array.isArray(added) && added.some((each) => JSON.stringify(each).includes('"function":'))
}
