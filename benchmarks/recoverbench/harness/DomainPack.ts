/**
 * The contract of a domain: its tools, the guard that keeps an agent on legal edges, and the fold of what it learned.
 *
 * `working` holds the state of the machine, each value that a step found, by key, and the finished steps.
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Result from "effect/Result"
import type * as Domain from "../universe/Domain.ts"

/** Makes the contract of a domain. */
export const of = (domain: Domain.Domain): TaskPack.TaskPack =>
  Result.getOrThrow(
    TaskPack.make({
      pack: `recoverbench.${domain.name.replaceAll(" ", "_")}`,
      version: "1.0.0",
      state: {
        world: { acts: "int" },
        working: {
          state: { type: "enum", values: [...domain.machine.states], initial: domain.machine.initial },
          facts: { table: { key: "key", row: { value: "string" } } },
          done: { table: { key: "step", row: { version: "int" } } }
        }
      },
      tools: Object.fromEntries(
        Object.entries(domain.tools).map(([name, tool]) => [name, contract(name, tool, domain.machine)])
      ),
      guards: Object.keys(domain.tools).map((name) => ({
        id: `legal_${name}`,
        on: name,
        refuse_if: `!(working.state in [${edgesOf(domain.machine, name)
          .map(({ from }) => `'${from}'`)
          .join(", ")}])`
      })),
      reducers: {
        on: {
          ...Object.fromEntries(
            Object.entries(domain.tools).flatMap(([name, { does }]) =>
              does === "act" ? [] : [[name, learned(name, domain.machine, "observed")]]
            )
          ),
          "plan.update": restored
        }
      }
    })
  )

const input = { entity: "string", key: "string", step: "string", basis: "string" } as const
const answer = { value: "string", version: "int" } as const

const contract = (name: string, { does }: Domain.Tool, machine: Domain.Machine) =>
  does === "act"
    ? ({
        class: "medium_risk_write",
        idempotency: "idempotent_write",
        input,
        output: answer,
        target: `'${name}/' + args.entity`,
        identity: { scope: "goal", fields: [{ entity: "exact" }, { basis: "exact" }] },
        times: { sendWithin: "5s", settleAfter: "1s", keyRetention: "24h" },
        status: "by_key",
        readback: { source: "records", expect: ["actual.value == observed.value"], within: "1s" },
        undo: "X",
        on_reconciled: [{ add: { field: "world.acts", value: 1 } }, ...learned(name, machine, "actual")]
      } as const)
    : ({ class: "read_only", input, output: answer } as const)

/** A step that succeeded moves the machine along its edge and keeps the values found. */
const learned = (name: string, machine: Domain.Machine, source: "actual" | "observed") =>
  [
    { set: { field: "working.state", value: move(edgesOf(machine, name)) } },
    { put: { table: "working.facts", key: "args.key", row: { value: `${source}.value` } } },
    { put: { table: "working.done", key: "args.step", row: { version: `${source}.version` } } }
  ] as const

const edgesOf = ({ edges }: Domain.Machine, name: string) => edges.filter(({ tool }) => tool === name)

const move = (edges: ReadonlyArray<Domain.Edge>): string =>
  edges.reduceRight((other, { from, to }) => `working.state == '${from}' ? '${to}' : ${other}`, "working.state")

/** A restore puts one field back at a time: the state, a value, or a step. */
const restored = [
  { when: "args.place == 'state'", set: { field: "working.state", value: "args.state" } },
  {
    when: "args.place == 'fact' && has(args.value)",
    put: { table: "working.facts", key: "args.key", row: { value: "args.value" } }
  },
  { when: "args.place == 'fact' && !has(args.value)", remove: { table: "working.facts", key: "args.key" } },
  { when: "args.place == 'step'", remove: { table: "working.done", key: "args.key" } }
] as const
