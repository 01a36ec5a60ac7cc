/** Audits the recovery of a pack's tools, and its topology. */
import * as PackAudit from "@backstitch/release/PackAudit"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as English from "@backstitch/wording/English"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./audit.ts"

const mark = (holds: boolean): string => (holds ? "yes" : "no")

const print = (rows: ReadonlyArray<PackAudit.CrashRecovery>): void => {
  if (rows.length === 0) return
  const cells = rows.map((row) => [
    Terminal.name(row.tool),
    mark(row.idempotent),
    mark(row.key),
    mark(row.asked),
    mark(row.compensation),
    row.unrecoverable ? Terminal.bad(`${row.recovery}, unrecoverable`) : row.recovery,
    row.advice ?? ""
  ])
  const header = [
    "TOOL",
    "IDEMPOTENT",
    "KEY",
    "CAN BE ASKED",
    "COMPENSATION",
    "AFTER A CRASH",
    "SO THAT IT IS NOT HELD"
  ]
  TextTable.print(cells, { header })
  Terminal.print()
}

const printDepth = (rows: ReadonlyArray<PackAudit.Depth>): void => {
  if (rows.length === 0) return
  const sorted = rows.toSorted((one, other) => (one.tool < other.tool ? -1 : 1))
  const cells = sorted.map((row) => [
    Terminal.name(row.tool),
    row.class,
    row.proof,
    row.made.join(", ") || "nothing",
    row.waived.join(", "),
    row.missing.length === 0 ? "" : Terminal.wary(row.missing.join(", ")),
    `${row.latency}, ${row.withinMillis / 1000} s`
  ])
  const header = ["TOOL", "CLASS", "PROOF", "CHECKED", "WAIVED", "NOT CHECKED", "PROOF WITHIN"]
  TextTable.print(cells, { header })
}

const printTopology = (topology: PackAudit.TopologyAudit): void => {
  const { topologies } = English.words
  const { carries, checkpoint, crack, detector, kind, recovery, remedy, signal, silence, unread } = topology
  const state = detector === "on" ? Terminal.good("on") : Terminal.bad("off")
  Terminal.print(`TOPOLOGY: ${topologies.kinds[kind]} | first crack=${topologies.cracks[crack]} | detector=${state}`)
  Terminal.print(`  signal      ${signal}`)
  Terminal.print(`  recovery    ${recovery}`)
  Terminal.print(`  checkpoint  ${checkpoint}`)
  Terminal.print(`  carries     ${carries}`)
  if (silence !== undefined) Terminal.print(`  silence     ${silence}`)
  if (unread.length > 0) Terminal.print(`  not read    ${Terminal.wary(unread.join(", "))}`)
  if (remedy !== undefined) Terminal.print(`  ${Terminal.wary(remedy)}`)
}

/**
 * Prints how each tool recovers from a crash during a call, how deeply it is verified, and the first crack of the
 * topology; 1 if any tool is unrecoverable, or if nothing would detect the crack.
 */
export const handler: Handler<Input> = ({ file }) =>
  Effect.map(PackFile.load(file), (pack) => {
    const document = PackAudit.of(pack)
    const { pack: id, tools, topology, unrecoverable, verification, version } = document
    const isSound = PackAudit.isSound(document)
    const view = () => {
      print(tools)
      printDepth(verification)
      if (tools.length > 0 && topology !== undefined) Terminal.print()
      if (topology !== undefined) printTopology(topology)
      const counts = `tools=${tools.length} | unrecoverable=${unrecoverable}`
      const word = isSound ? Terminal.good("AUDIT:") : Terminal.wary("AUDIT:")
      Terminal.print(`\n${word} ${id} ${version} | ${counts}`)
    }
    return Printer.answer(document, view, ExitCode.of(isSound))
  })
