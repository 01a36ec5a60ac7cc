/** Takes one delivery in: finds its run, has it decided, and says what it came to. */
import { readFile } from "node:fs/promises"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as Webhook from "@backstitch/contracts/Webhook"
import * as Check from "@backstitch/kernel/Check"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as OpenActionStatus from "@backstitch/runtime/OpenActionStatus"
import * as Steps from "@backstitch/runtime/Steps"
import * as WebhookIntake from "@backstitch/runtime/WebhookIntake"
import type { Run, Tenant } from "@backstitch/trace/Run"
import type { Step } from "@backstitch/version-control/Step"
import * as Next from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FileProblem from "../../input/FileProblem.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Terminal from "../../terminal/Terminal.ts"

/**
 * What a delivery came to.
 *
 * **Details**
 *
 * `settled`: what it says was read back, or believed as the contract has it. `known`: the action had been settled
 * before. `replayed`: it was taken in before, and counts once. `nothing_new`: the same was told before, or the provider
 * is still at work. `failed`: it never will take effect. `held`, `parked`: it was taken in, and the action still waits.
 * `refused`: it is not genuine, not of now, or about nothing.
 */
export type Verdict = "settled" | "known" | "replayed" | "nothing_new" | "failed" | "held" | "parked" | "refused"

/** A delivery that was taken in or refused, with what may be done about it. It is JSON as it stands. */
export interface Taken {
  readonly run: string
  readonly tool: string
  readonly verdict: Verdict
  readonly action: string | null
  readonly why: string | null
  /** The code of a refusal. */
  readonly code: string | null
  readonly next: ReadonlyArray<Next.Next>
  readonly committed: ReadonlyArray<{ readonly tick: number; readonly transition_type: string }>
}

/** What arrived, and the run that it is about where that was named. */
export interface Arrived extends WebhookIntake.Arrived {
  readonly run: Run | undefined
  readonly tenant: Tenant
  readonly webhook: Webhook.Webhook
  /** The secrets of a file; without them, those of the environment. */
  readonly secrets: ReadonlyArray<string>
}

/** Finds the tool that deliveries are about, by its name or as the only one with a webhook. */
export const toolOf = (
  pack: TaskPack.TaskPack,
  named: string | undefined
): Effect.Effect<{ readonly tool: string; readonly webhook: Webhook.Webhook }, Usage> => {
  const all = Object.entries(pack.tools).flatMap(([tool, { webhook }]) =>
    webhook === undefined ? [] : [{ tool, webhook }]
  )
  const names = all.map(({ tool }) => tool).join(", ")
  const has = all.length === 0 ? "No tool has one: declare `webhook: { secret, key, done }`" : `${names} has one`
  const found = named === undefined && all.length === 1 ? all[0] : all.find(({ tool }) => tool === named)
  if (found !== undefined) return Effect.succeed(found)
  const problem =
    named !== undefined
      ? `The contract ${pack.id} ${pack.version} has no webhook of a tool "${named}". ${has}`
      : all.length === 0
        ? `The contract ${pack.id} ${pack.version} takes no deliveries. ${has}`
        : `Say with --tool what the delivery is about: ${names}`
  return Effect.fail(new Usage({ problem }))
}

/** The secrets of a file, one a line. */
export const secretsOf = (file: string | undefined): Effect.Effect<ReadonlyArray<string>, Usage> =>
  file === undefined
    ? Effect.succeed([])
    : Effect.tryPromise({
        try: async () => {
          const lines = (await readFile(file, "utf8")).split(/\r?\n/).filter((line) => line !== "")
          if (lines.length === 0) throw new Error("it is empty")
          return lines
        },
        catch: (cause) =>
          new Usage({
            problem: `The secret ${file} cannot be read: ${FileProblem.say(cause)}`
          })
      })

/** Takes a delivery in and tells `visit` of each transition that it brought about. */
export const take = Effect.fnUntraced(function* (arrived: Arrived, visit: (step: Step) => void = () => {}) {
  Terminal.acting()
  const { body, secrets, tool, webhook } = arrived
  const run = arrived.run ?? (yield* WebhookIntake.runOf(arrived.tenant, webhook, body))
  if (run === undefined) {
    const why = `no run has begun an action of ${tool} under the key that the body names`
    return refused("", tool, why)
  }
  const history = yield* History.History
  const coordinator = yield* Coordinator.Coordinator
  const { head } = yield* history.info(run)
  const handle = yield* coordinator.reopen(run)
  const most = webhook.secrets.length
  if (secrets.length > most) {
    const problem = `The file has ${secrets.length} secrets, one a line, and the contract of ${tool} names ${most}`
    return yield* new Usage({ problem })
  }
  const env = secrets.length === 0 ? (process.env as Record<string, string>) : given(webhook, secrets)
  const outcome = yield* WebhookIntake.deliver(handle, arrived).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    Effect.catchTag("SecretMissing", (error) =>
      Effect.fail(new Usage({ problem: `${error.message}, or name its file with --secret-file` }))
    ),
    Effect.catchTag("SecretInvalid", ({ message }) => Effect.fail(new Usage({ problem: message })))
  )
  const committed: Array<Taken["committed"][number]> = []
  const { head: last } = yield* history.info(run)
  yield* Steps.walk(run, { from: head.tick + 1, to: last.tick }, (step) => {
    committed.push({ tick: step.transition.tick, transition_type: step.transition.body.type })
    visit(step)
  })
  return { ...told(run, tool, outcome, committed.length > 0), committed }
}, Effect.scoped)

/** The secrets of a file stand for those that the contract names, and nothing of the environment does beside them. */
const given = (webhook: Webhook.Webhook, secrets: ReadonlyArray<string>): Record<string, string> =>
  Object.fromEntries(secrets.map((secret, index) => [webhook.secrets[index] ?? "", secret]))

const refused = (run: string, tool: string, why: string): Taken => ({
  run,
  tool,
  verdict: "refused",
  action: null,
  why,
  code: "delivery.key_unknown",
  next: [],
  committed: []
})

const told = (run: Run, tool: string, outcome: Outcome, isNew: boolean): Omit<Taken, "committed"> => {
  const about = { run: run.id, tool, action: null, why: null, code: null, next: [] }
  switch (outcome._tag) {
    case "Done": {
      const action = outcome.adopted?.action ?? null
      return outcome.adopted === undefined
        ? { ...about, verdict: "settled" }
        : { ...about, verdict: "known", action, why: "the action was settled before, and the record stands" }
    }
    case "Failed":
      return { ...about, verdict: "failed", why: Wording.why(outcome) }
    case "Refused": {
      const [taken] = outcome.checks.filter(({ why }) => why?.code === "delivery.replayed")
      const code = Check.reason(outcome.checks)?.code ?? null
      if (taken === undefined) return { ...about, verdict: "refused", why: Wording.why(outcome), code }
      const action = String(taken.why?.args["action"] ?? "")
      return { ...about, verdict: "replayed", action, why: Wording.check(taken)?.found ?? null, code }
    }
    case "Parked":
      return {
        ...about,
        verdict: "parked",
        why: Wording.why(outcome),
        next: [OpenActionStatus.decide(run, outcome)]
      }
    case "Held": {
      const { action } = outcome
      const next = Wording.next(outcome).map((step) => Next.about(step, { action, run: run.id }))
      return { ...about, verdict: isNew ? "held" : "nothing_new", action, why: Wording.why(outcome), next }
    }
  }
}
