/**
 * How a contract in force may grow during a run: on the ledger, approved, and never backwards.
 *
 * An extension adds required fields, hash seeds and violation predicates from
 * a tick in the future on. It takes nothing away and changes nothing that is
 * there; anything else is a new pack, and enters by a migration. The model has
 * no part in it: only an institution commits one.
 *
 * @source Dendrer, section 4.4, controlled contract evolution
 */
import type * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Issue from "./Issue.ts"
import { readExtension } from "./internal/readExtension.ts"
import { Node, Reader } from "./internal/reader.ts"
import type * as TaskPack from "./TaskPack.ts"

/**
 * The payload of `policy.contract_extension`.
 *
 * **Details**
 *
 * `target_contract` is the name of a governed transition or tool of the pack
 * that the fields are added to, or the pack itself, which adds them to all.
 */
export const ContractExtension = Schema.Struct({
  target_contract: Schema.NonEmptyString,
  adds_required: Schema.optionalKey(Schema.Array(Schema.String)),
  adds_hash_seeds: Schema.optionalKey(Schema.Array(Schema.String)),
  adds_violations: Schema.optionalKey(Schema.Array(Schema.Record(Schema.String, Schema.Json))),
  effective_from_tick: Schema.Natural,
  approved_by: Schema.NonEmptyString
})

/** The payload of `policy.contract_extension`. */
export type ContractExtension = typeof ContractExtension.Type

/** Error for an extension that may not be committed, with every reason. */
export class ExtensionRefused extends Schema.TaggedError<ExtensionRefused>("@backstitch/contracts/ExtensionRefused")(
  "ExtensionRefused",
  { target: Schema.String, issues: Schema.Array(Issue.Issue) }
) {
  override get message(): string {
    const lines = this.issues.map((issue) => `  ${Issue.format(issue)}`)
    return `The extension of ${this.target} may not be committed\n${lines.join("\n")}`
  }
}

/**
 * Checks an extension against the pack in force and the tick at which it would be committed.
 *
 * **Details**
 *
 * Refused: an extension that nobody approved, one that would take effect at or
 * before the current tick, one that adds nothing, and one that names what the
 * pack does not declare or adds what is there already.
 */
export const validate = (
  pack: TaskPack.TaskPack,
  payload: Canonical.Json,
  options: { readonly currentTick: number }
): Result.Result<ContractExtension, ExtensionRefused> => {
  const reader = new Reader("the extension", () => ({ line: 0, column: 0 }))
  const node = new Node(reader, payload, [])
  const read = readExtension(node, pack, options.currentTick)
  if (reader.errors.length === 0 && read !== undefined) return Result.succeed(read.extension)
  const target = node.at("target_contract").value
  return Result.fail(
    new ExtensionRefused({ target: typeof target === "string" ? target : "the contract", issues: reader.errors })
  )
}

/** The pack with an extension in force. For ticks before `effective_from_tick` the pack without it holds. */
export const extend = (
  pack: TaskPack.TaskPack,
  extension: ContractExtension
): Result.Result<TaskPack.TaskPack, ExtensionRefused> => {
  const reader = new Reader("the extension", () => ({ line: 0, column: 0 }), { isStored: true, keeps: () => true })
  const read = readExtension(new Node(reader, extension, []), pack, undefined)
  if (reader.errors.length > 0 || read === undefined) {
    return Result.fail(new ExtensionRefused({ target: extension.target_contract, issues: reader.errors }))
  }
  const digest = Digest.ofJson("backstitch.pack.1", { extends: pack.digest, with: extension as Canonical.JsonObject })
  return Result.succeed({ ...pack, transitions: read.transitions, violations: read.violations, digest })
}

/** The pack with a committed extension in force, where it takes it. */
export const added = (
  pack: TaskPack.TaskPack,
  extension: Canonical.JsonObject
): Result.Result<TaskPack.TaskPack, ExtensionRefused> =>
  Result.flatMap(validate(pack, extension, { currentTick: 0 }), (checked) => extend(pack, checked))

/**
 * The pack with committed extensions in force, in the order in which they were committed.
 *
 * **Gotchas**
 *
 * They were checked before they were committed: one that does not fit is a
 * defect.
 */
export const extendAll = (
  pack: TaskPack.TaskPack,
  extensions: ReadonlyArray<Canonical.JsonObject>
): TaskPack.TaskPack =>
  extensions.reduce<TaskPack.TaskPack>((extended, extension) => Result.getOrThrow(added(extended, extension)), pack)
