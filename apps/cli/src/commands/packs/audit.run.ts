/** Audits the recovery of a pack's tools. */
import * as ResumePlan from "@backstitch/ledger/ResumePlan"
import * as VerificationDepth from "@backstitch/reconciliation/VerificationDepth"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Table from "../../terminal/Table.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./audit.ts"

const mark = (holds: boolean): string => (holds ? "yes" : "no")

type Recovery = Omit<ResumePlan.AuditRow, "advice"> & { readonly advice?: string }

type Depth = Omit<VerificationDepth.Audit, "acceptedBy" | "proof"> & { readonly proof: string }

const recoveryOf = ({ advice, ...row }: ResumePlan.AuditRow): Recovery => ({
  ...row,
  ...(advice === undefined ? {} : { advice: Wording.advice(advice) })
})

const depthOf = ({ acceptedBy, ...row }: VerificationDepth.Audit): Depth => ({
  ...row,
  proof: Wording.proof({ acceptedBy, proof: row.proof })
})

const print = (rows: ReadonlyArray<Recovery>): void => {
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
  Table.print(cells, { header })
  Terminal.print()
}

const printDepth = (rows: ReadonlyArray<Depth>): void => {
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
  Table.print(cells, { header })
}

/**
 * Prints how each tool recovers from a crash during a call, and how deeply it is verified; 1 if any is unrecoverable.
 */
export const handler: Handler<Input> = ({ file }) =>
  Effect.map(PackFile.load(file), (pack) => {
    const tools = ResumePlan.auditPack(pack).map(recoveryOf)
    const unrecoverable = tools.filter((row) => row.unrecoverable).length
    const verification = Object.values(pack.tools).map((tool) => depthOf(VerificationDepth.audit(tool)))
    const { digest, id, version } = pack
    const document = { pack: id, version, digest, unrecoverable, tools, verification }
    const view = () => {
      print(tools)
      printDepth(verification)
      const counts = `tools=${tools.length} | unrecoverable=${unrecoverable}`
      const word = unrecoverable === 0 ? Terminal.good("AUDIT:") : Terminal.wary("AUDIT:")
      Terminal.print(`\n${word} ${id} ${version} | ${counts}`)
    }
    return Printer.answer(document, view, unrecoverable === 0 ? 0 : 1)
  })
