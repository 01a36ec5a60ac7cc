/**
 * Checks a contract.
 *
 * @since 0.1.0
 */
import * as Issue from "@backstitch/contracts/Issue"
import type { PackInvalid } from "@backstitch/contracts/TaskPack"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as Effect from "effect/Effect"
import type { Input } from "../commands/packCheck.ts"
import type { Handler } from "../Handler.ts"
import * as Terminal from "../Terminal.ts"

/**
 * Reads a contract, and says everything that is wrong in it or deserves a look.
 *
 * @category handlers
 * @since 0.1.0
 */
export const handler: Handler<Input> = ({ file }, { json }) =>
  PackFile.load(file).pipe(
    Effect.map((pack) => {
      const { digest, id, version, warnings } = pack
      if (json) Terminal.document({ file, ok: true, pack: id, version, digest, issues: [], warnings })
      else {
        for (const warning of warnings) Terminal.print(`${Terminal.wary("look:")} ${Issue.format(warning)}`)
        const { guards, tools, violations } = pack
        const counts = `tools=${Object.keys(tools).length} | guards=${guards.length} | violations=${violations.length}`
        Terminal.print(`${Terminal.good("OK:")} ${id} ${version} | ${counts} | digest=${digest}`)
      }
      return 0
    }),
    Effect.catchTag("PackInvalid", (invalid: PackInvalid) =>
      Effect.sync(() => {
        const { issues } = invalid
        if (json) Terminal.document({ file, ok: false, pack: null, version: null, digest: null, issues, warnings: [] })
        else {
          for (const issue of issues) Terminal.print(`${Terminal.bad("wrong:")} ${Issue.format(issue)}`)
          Terminal.print(`\n${Terminal.bad("REFUSED:")} issues=${issues.length} | ${file}`)
        }
        return 1
      })
    )
  )
