/**
 * Accounts under the contract, and the broker that carries out their orders.
 *
 * Everything is in memory: the example is about the contract's permissions, not about crashes.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Yaml from "@backstitch/contracts/Yaml"
import * as Kernel from "@backstitch/kernel/Kernel"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

const source = readFileSync(join(import.meta.dirname, "pack.yaml"), "utf8")

/** The contract of the file, or a copy of it with some text replaced. */
export const packOf = (replace: (yaml: string) => string = (yaml) => yaml): TaskPack.TaskPack =>
  Result.getOrThrow(Yaml.fromYaml(replace(source), { file: "pack.yaml" }))

/** The contract. */
export const pack: TaskPack.TaskPack = packOf()

/**
 * The contract without the fields that justify an order: the checks that a version control of plain text would make.
 */
export const packWithoutContext: TaskPack.TaskPack = packOf((yaml) =>
  yaml.replace(/\ntransitions:\n(?: .*\n| *\n)+/, "\n")
)

/** The broker's books: one entry an order. */
export class Broker {
  readonly orders = new Map<string, JsonObject>()
  sent = 0

  get tools(): ToolExecutor.Tools {
    return {
      execute_transaction: {
        execute: (order: JsonObject, { key = "" }) => {
          this.sent++
          if (!this.orders.has(key)) this.orders.set(key, order)
          return this.orders.get(key) ?? null
        },
        status: async ({ key = "" }) => this.orders.get(key),
        readback: async ({ key = "" }) => this.orders.get(key)
      }
    }
  }
}

/** The opening data of an account. */
export interface Account {
  readonly name: string
  readonly cash: number
  readonly shares: number
  readonly goal?: string | undefined
  readonly pack?: TaskPack.TaskPack | undefined
}

/** Services over a store of their own and a broker. */
export const layer = (broker: Broker) =>
  Coordinator.layer({ secret: "example" }).pipe(
    Layer.provideMerge(ToolExecutor.layerFrom(broker.tools)),
    Layer.provideMerge(History.layer(Kernel.standard)),
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(TraceStore.layerMemory)
  )

/** Opens an account: a run whose initial state is that of the broker's books. */
export const open = Effect.fnUntraced(function* ({ cash, goal, name, pack: bound = pack, shares }: Account) {
  const coordinator = yield* Coordinator.Coordinator
  const library = yield* PackLibrary.PackLibrary
  const { working } = library.initial(bound)
  return yield* coordinator.begin(Run.make(name), {
    pack: bound,
    goal: goal ?? `grow ${name}`,
    initial: { world: { cash_balance: cash.toFixed(2), position_size: shares }, working }
  })
})

/** The risk that an account bears, by its profile. */
export const thresholds = { MIN: 0.3, MAX: 0.9 } as const

/** Proposes the observation of the account's profile, and of what its policy allows. */
export const observed = (profile: JsonObject): Proposal => ({
  type: "observation.add",
  data: { policy_decision: "allow", allows: "execute_transaction", ...profile },
  confidence: 0.9
})

/** An order, bound to the fields that the contract demands and to the other fields that the agent read. */
export const order = (
  name: string,
  size: { readonly shares: number; readonly cost: number },
  dependsOn: ReadonlyArray<string> = []
): Proposal => ({
  tool: "execute_transaction",
  params: { order: name, ...size, cost: size.cost.toFixed(2) },
  description: `buy ${size.shares} shares for ${size.cost}`,
  confidence: 0.84,
  ...(dependsOn.length === 0 ? {} : { dependsOn })
})
