/**
 * Diagnoses runs that real agents have made: what is found, and on annotated failures whether the first suspect is the
 * agent, and the step, that people blamed.
 *
 * The recordings are no part of the repository. They are read from the folder that `BACKSTITCH_DATA` names, or from
 * `../shared/data`. No detector was tuned to the annotations.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { basename, dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type * as Chat from "@backstitch/importers/Chat"
import * as ChatRun from "@backstitch/importers/ChatRun"
import type { Format } from "@backstitch/importers/Format"
import * as Formats from "@backstitch/importers/Formats"
import * as GroupChat from "@backstitch/importers/GroupChat"
import * as Diagnosis from "@backstitch/topology/Diagnosis"
import type { Transition } from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import { table } from "../src/Table.ts"

/** The folder of the recordings; `undefined` if it is absent. */
export const folder = (): string | undefined => {
  const path = process.env["BACKSTITCH_DATA"] ?? fileURLToPath(new URL("../../../shared/data", import.meta.url))
  return existsSync(path) ? path : undefined
}

/** Files of recorded runs, and the format of each source. */
const sources: ReadonlyArray<{ readonly files: string; readonly format: Format }> = [
  { files: "tau-bench-airline/dev/runs.jsonl.gz", format: Formats.all["openai-chat"] },
  { files: "agentrx-tau-retail/dev/runs.jsonl.gz", format: Formats.all["openai-chat"] },
  { files: "codemie-sessions/dev/claude-code/**/*.jsonl.gz", format: Formats.all["claude-code"] },
  { files: "codemie-sessions/dev/codex/*.jsonl.gz", format: Formats.all.codex },
  { files: "swe-agent/dev/*.traj*", format: Formats.all["swe-agent"] },
  { files: "mini-swe-agent/dev/*", format: Formats.all["swe-agent"] },
  { files: "openhands/dev/*.jsonl.gz", format: Formats.all.openhands },
  { files: "langfuse-framework-traces/dev/*.trace.json.gz", format: Formats.all.langfuse },
  { files: "pi-sessions/dev/*.jsonl.gz", format: Formats.all.pi }
]

/** The diagnosis of a recorded run. */
export interface Diagnosed {
  readonly source: string
  readonly run: string
  readonly diagnosis: Diagnosis.Diagnosis
}

const textOf = (file: string): string => {
  const bytes = readFileSync(file)
  return (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8")
}

const tool = () => ({ class: "critical_mutation", mutating: true })

/** Steps of a conversation as transitions, one tick each. */
const placed = (steps: ReadonlyArray<Chat.ChatStep>): ReadonlyArray<Transition> =>
  steps.map((step, index) => {
    const { body } = ChatRun.draftOf({ tool }, step, { asOf: 0, source: "" })
    return { tick: index + 1, body, stamp: { asOf: 0 }, envelope: { ts: 0 } }
  })

/** Diagnoses the runs of every source, as an import without a contract records them. */
export const runs = (data: string): ReadonlyArray<Diagnosed> =>
  sources.flatMap(({ files, format }) =>
    globSync(`${data}/${files}`)
      .toSorted()
      .flatMap((file) => {
        const text = textOf(file)
        const texts = format.framing === "line" ? text.split("\n").filter((line) => line.trim() !== "") : [text]
        const chats = texts.flatMap((each) => Result.getOrElse(format.parse(each), () => []))
        return chats.map((chat, index): Diagnosed => {
          const diagnosis = Diagnosis.of(placed(chat.steps.flat()), { contractOf: ToolContract.unknown, isOver: true })
          return { source: files.split("/")[0]!, run: `${basename(file)}:${index + 1}`, diagnosis }
        })
      })
  )

/** A failure of several agents, and whom people blamed. */
interface Annotated {
  readonly history: ReadonlyArray<unknown>
  readonly mistake_agent: string
  readonly mistake_step: string | number
}

/** An annotated failure: the first suspect, and the blamed agent and step. */
export interface Blamed {
  readonly file: string
  readonly looksLike: Diagnosis.Diagnosis["looksLike"]
  readonly crack: string | undefined
  readonly signal: string | undefined
  readonly isAgent: boolean
  readonly isStep: boolean
  /** `true` if the step is among the ticks of the evidence. */
  readonly isInEvidence: boolean
}

/** Diagnoses the annotated failures. Their results were wrong, and a reader knows it. */
export const blamed = (data: string): ReadonlyArray<Blamed> =>
  globSync(`${data}/who-and-when/*/*/*.json.gz`)
    .toSorted()
    .map((file) => {
      const text = textOf(file)
      const annotated = JSON.parse(text) as Annotated
      const chat = Result.getOrThrow(GroupChat.parse(text))
      const steps = chat.steps.flat()
      const diagnosis = Diagnosis.of(placed(steps), { contractOf: ToolContract.unknown, isOver: true, isWrong: true })
      const [suspect] = diagnosis.cracks
      // The question comes before the history, if the history does not begin with it.
      const asked = chat.messages - annotated.history.length
      const messageAt = (tick: number): number => (steps[tick - 1]?.message ?? Number.NaN) - asked
      const blamedStep = Number(annotated.mistake_step)
      return {
        file: `${basename(dirname(file))}/${basename(file)}`,
        looksLike: diagnosis.looksLike,
        crack: suspect?.crack,
        signal: suspect?.signal,
        isAgent: suspect !== undefined && suspect.agent === annotated.mistake_agent,
        isStep: suspect !== undefined && messageAt(suspect.evidence[0]!) === blamedStep,
        isInEvidence: suspect?.evidence.some((tick) => messageAt(tick) === blamedStep) === true
      }
    })

/** Runs of one source: those with a crack, each with what was found. */
interface Source {
  readonly source: string
  readonly runs: number
  readonly found: ReadonlyArray<{ readonly run: string; readonly cracks: ReadonlyArray<string> }>
  readonly repeats: number
  readonly doubles: number
}

/** The findings on recorded runs, and on annotated failures. */
export interface Summary {
  readonly sources: ReadonlyArray<Source>
  readonly blamed: ReadonlyArray<Blamed>
}

/** Diagnoses everything that is recorded. */
export const summary = (data: string): Summary => {
  const diagnosed = runs(data)
  const sources = [...new Set(diagnosed.map(({ source }) => source))].map((source): Source => {
    const own = diagnosed.filter((each) => each.source === source)
    const found = own.flatMap(({ diagnosis: { cracks }, run }) =>
      cracks.length === 0 ? [] : [{ run, cracks: cracks.map(({ crack, tick }) => `${crack} at tick ${tick}`) }]
    )
    const repeats = own.filter(({ diagnosis }) => diagnosis.repeats.length > 0).length
    const doubles = own.filter(({ diagnosis }) => diagnosis.doubles.length > 0).length
    return { source, runs: own.length, found, repeats, doubles }
  })
  return { sources, blamed: blamed(data) }
}

/** Prints the findings as tables. */
export const print = ({ blamed, sources }: Summary): string => {
  const alarms = table(
    "Recorded runs in which a crack is found",
    ["source", "runs", "with a crack", "with a repeat", "with a double", "found"],
    sources.map(({ doubles, found, repeats, runs, source }) => [
      source,
      runs,
      found.length,
      repeats,
      doubles,
      found.map(({ cracks, run }) => `${run}: ${cracks.join(", ")}`).join("; ")
    ])
  )
  const count = (holds: (each: Blamed) => boolean) => blamed.filter(holds).length
  const blame = table(
    "Annotated failures of several agents, with a result that is known to be wrong",
    ["failures", "with a suspect", "agent agrees", "step agrees", "step in the evidence"],
    [
      [
        blamed.length,
        count(({ crack }) => crack !== undefined),
        count(({ isAgent }) => isAgent),
        count(({ isStep }) => isStep),
        count(({ isInEvidence }) => isInEvidence)
      ]
    ]
  )
  return `${alarms}\n\n${blame}`
}
