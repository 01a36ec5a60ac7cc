/**
 * Recognises the identity by which the acts of a tool are told apart.
 *
 * The key of an act is made from the identity that the contract of its tool declares. Under another identity every act
 * has another key, so acts that were done would be done again unnoticed. So a store keeps the identity under which a
 * tool was last called, and a call under another one is refused before anything is sent.
 *
 * A tool is known by its name and the id of its pack. Other versions of a pack are the same pack.
 *
 * @source docs/decisions/0064
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as ActIdentity from "@backstitch/ledger/ActIdentity"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type { Tenant } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"

/** Error for a call under another identity than the one under which the tool was called before. */
export class IdentityDiffers extends Schema.TaggedError<IdentityDiffers>("@backstitch/runtime/IdentityDiffers")(
  "IdentityDiffers",
  {
    pack: Schema.String,
    tool: Schema.String,
    known: Schema.String,
    given: Schema.String,
    /** The words by which the owner of the tool gives the known identity up. */
    before: Schema.String
  }
) {
  override get message(): string {
    return (
      `Acts of ${this.tool} were told apart by the identity "${this.known}", and now they would be by ` +
      `"${this.given}". No act of before would be recognised, and each could be done again, so nothing was sent. ` +
      "Settle what is open of them, and give the tool of today another name, or accept this identity expressly"
    )
  }
}

/** Error for an identity that is given up while an act is open that nobody would recognise under the next one. */
export class IdentityInUse extends Schema.TaggedError<IdentityInUse>("@backstitch/runtime/IdentityInUse")(
  "IdentityInUse",
  { tool: Schema.String, known: Schema.String, run: Schema.String, action: Schema.String }
) {
  override get message(): string {
    return (
      `Action ${this.action} of run ${this.run} is open, and ${this.tool} is told apart by "${this.known}" there. ` +
      "Under another identity a call would not recognise it, so nothing was sent. Settle it first"
    )
  }
}

/** A call of a tool: the pack in force, and the words of the identity that its owner gives up, if any. */
export interface Called {
  readonly tenant: Tenant
  readonly pack: TaskPack.TaskPack
  readonly tool: string
  readonly before?: string | undefined
}

/**
 * Takes the identity of a tool as the one under which it is called from now on. The store must know none yet, or the
 * one of before that the caller gives up; if it knows another, the identity is refused. So is a change while an act of
 * the tool is open in any run of the tenant. A read has no identity, and neither has a tool without a contract.
 */
export const take = Effect.fnUntraced(function* ({ before, pack, tenant, tool }: Called) {
  const contract = Object.hasOwn(pack.tools, tool) ? pack.tools[tool] : undefined
  if (contract === undefined || !ToolContract.isMutating(contract)) return
  const store = yield* TraceStore.TraceStore
  const name = `${pack.id}/${tool}`
  const given = ActIdentity.describe(contract)
  const found = yield* store.identity(tenant, name)
  if (found !== undefined && numbered(found).identity === given) return
  const next = found === undefined ? given : `${numbered(found).number + 1} ${given}`
  const isGivenUp = found === undefined || found === before
  if (isGivenUp && found !== undefined) {
    const open = yield* openAct(tenant, pack, tool)
    if (open !== undefined) return yield* new IdentityInUse({ tool, known: numbered(found).identity, ...open })
  }
  const row = isGivenUp ? yield* store.putIdentity(tenant, { tool: name, expected: found, next }) : found
  const { identity } = numbered(row)
  if (identity === given) return
  return yield* new IdentityDiffers({ pack: pack.id, tool, known: identity, given, before: row })
})

/** Finds an act of a tool that is begun and not settled, in any run of a tenant under a version of the pack. */
const openAct = Effect.fnUntraced(function* (tenant: Tenant, pack: TaskPack.TaskPack, tool: string) {
  const store = yield* TraceStore.TraceStore
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  for (const { run } of yield* store.runs(tenant)) {
    const { head, state } = yield* history.at(run)
    const found = Object.entries(OpenActions.of(state)).find(([, open]) => open?.tool === tool)
    if (found === undefined || (yield* library.inForce(state, head.tick + 1))?.id !== pack.id) continue
    return { run: run.id, action: found[0] }
  }
  return undefined
})

/** Reads a row: an identity with its number among those of its tool, from 1. No identity begins with a digit. */
const numbered = (row: string): { readonly identity: string; readonly number: number } => {
  const [, number = "1", identity = row] = /^([1-9][0-9]*) (.*)$/s.exec(row) ?? []
  return { identity, number: Number(number) }
}
