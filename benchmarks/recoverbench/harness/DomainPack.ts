/**
 * The contract of a domain: its tools, the guard that keeps an agent on legal edges, and the fold of what it learned.
 *
 * `working` holds the state of the machine, each value that a step found, by key, and the finished steps.
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Result from "effect/Result"
import type * as Domain from "../universe/Domain.ts"

/** Makes the contract of a domain; without subtasks nothing of a run is lifted. */
export const of = (domain: Domain.Domain, hasSubtasks = true): TaskPack.TaskPack =>
  Result.getOrThrow(
    TaskPack.make({
      pack: `recoverbench.${domain.name.replaceAll(" ", "_")}`,
      version: "1.0.0",
      state: {
        world: {},
        working: {
          state: { type: "enum", values: [...domain.machine.states], initial: domain.machine.initial },
          facts: { table: { key: "key", row: { value: "string" } } },
          done: { table: { key: "step", row: { version: "int" } } }
        }
      },
      tools: Object.fromEntries(
        Object.entries(domain.tools).map(([name, tool]) => [name, contract(name, tool, domain.machine)])
      ),
      ...(hasSubtasks ? subtasks(domain) : {}),
      guards: Object.keys(domain.tools).map((name) => ({
        id: `legal_${name}`,
        on: name,
        refuse_if: `!(working.state in [${edgesOf(domain.machine, name)
          .map(({ from }) => `'${from}'`)
          .join(", ")}])`
      })),
      reducers: {
        on: Object.fromEntries(
          Object.entries(domain.tools).flatMap(([name, { does }]) =>
            does === "act" ? [] : [[name, learned(name, domain.machine, "observed")]]
          )
        )
      }
    })
  )

const input = { entity: "string", previous: "string", key: "string", step: "string", basis: "string" } as const
const answer = { value: "string", version: "int" } as const

const contract = (name: string, { does, reads, writes }: Domain.Tool, machine: Domain.Machine) => {
  const keys = { reads: reads.map(readOf), writes: [`${writes}[args.entity]`] }
  return does === "act"
    ? ({
        ...keys,
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
        on_reconciled: learned(name, machine, "actual")
      } as const)
    : ({ ...keys, class: "read_only", input, output: answer } as const)
}

const readOf = ({ key, of }: Domain.Read): string =>
  of === "every" ? key : `${key}[args.${of === "own" ? "entity" : "previous"}]`

/** The sections by which a run is lifted to its subtasks. */
const subtasks = ({ machine, skeletons }: Domain.Domain) => ({
  machine: { field: "working.state", states: machine.states, edges: machine.edges },
  skeletons: Object.fromEntries(Object.entries(skeletons).map(([id, each]) => [id, skeleton(each, machine)]))
})

/**
 * A reviewed boundary. A subtask is entered in the states in which its tools are legal, if another tool leads there or
 * the agent begins there.
 */
const skeleton = (
  { commits, exits, outputs, states, tools }: Domain.Skeleton,
  { edges, initial }: Domain.Machine
): Readonly<Record<string, unknown>> => {
  const legal = new Set(edges.flatMap(({ from, tool }) => (tools.includes(tool) ? [from] : [])))
  const led = new Set(edges.flatMap(({ to, tool }) => (tools.includes(tool) ? [] : [to])))
  return {
    tools,
    states: [...new Set([...states, ...legal])],
    entry: [...legal].filter((state) => state === initial || led.has(state)),
    entity: "args.entity",
    outputs: outputs.map((output) => `${output}[entity]`),
    commit: after(commits),
    exit: after(exits),
    effects: "forbid"
  }
}

const after = (tools: ReadonlyArray<string>): string => `tool in [${tools.map((tool) => `'${tool}'`).join(", ")}]`

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
