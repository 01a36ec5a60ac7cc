/** Checks a contract. */
import * as Issue from "@backstitch/contracts/Issue"
import * as NotEnforced from "@backstitch/contracts/NotEnforced"
import type { PackInvalid } from "@backstitch/contracts/TaskPack"
import * as PackPurity from "@backstitch/reducer/PackPurity"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./packCheck.ts"

const nothing = { impure: [], warnings: [], notEnforced: [] }

/** Reads a contract, and says everything that is wrong in it or deserves a look. */
export const handler: Handler<Input> = ({ file }, { json }) =>
  PackFile.load(file).pipe(
    Effect.map((pack) => {
      const { digest, id, version, warnings } = pack
      const impure = PackPurity.findings(pack).map(({ message }) => message)
      const notEnforced = NotEnforced.of(pack)
      const ok = impure.length === 0
      if (json) Terminal.document({ file, ok, pack: id, version, digest, issues: [], impure, warnings, notEnforced })
      else {
        for (const problem of impure) Terminal.print(`${Terminal.bad("wrong:")} ${file} ${problem}`)
        for (const warning of warnings) Terminal.print(`${Terminal.wary("look:")} ${Issue.format(warning)}`)
        if (notEnforced.length > 0) {
          Terminal.lines(`${Terminal.wary("NOT ENFORCED:")} nothing holds a run to ${notEnforced.join(", ")}`)
        }
        const { guards, tools, violations } = pack
        const counts = `tools=${Object.keys(tools).length} | guards=${guards.length} | violations=${violations.length}`
        if (ok) Terminal.print(`${Terminal.good("OK:")} ${id} ${version} | ${counts} | digest=${digest}`)
        else Terminal.print(`\n${Terminal.bad("REFUSED:")} issues=${impure.length} | ${file}`)
      }
      return ok ? 0 : 1
    }),
    Effect.catchTag("PackInvalid", (invalid: PackInvalid) =>
      Effect.sync(() => {
        const { issues } = invalid
        if (json) Terminal.document({ file, ok: false, pack: null, version: null, digest: null, issues, ...nothing })
        else {
          for (const issue of issues) Terminal.print(`${Terminal.bad("wrong:")} ${Issue.format(issue)}`)
          Terminal.print(`\n${Terminal.bad("REFUSED:")} issues=${issues.length} | ${file}`)
        }
        return 1
      })
    )
  )
