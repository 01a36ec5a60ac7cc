/** Copies a contract, or lists those that there are. */
import * as ContractFolder from "@backstitch/runtime/ContractFolder"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { bundledContracts } from "../../input/bundledContracts.ts"
import type { Handler } from "../../program/Handler.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./packCopy.ts"

const described = ({ name, pack }: ContractFolder.Contract) => ({
  name,
  pack: pack.id,
  description: pack.description ?? "",
  tools: Object.keys(pack.tools)
})

const printList = (contracts: ReadonlyArray<ReturnType<typeof described>>): void => {
  const rows = contracts.map(({ description, name, tools }) => [name, tools.join(", "), description])
  TextTable.print(rows, { header: ["CONTRACT", "TOOLS", "ABOUT"] })
  Terminal.print(`${Terminal.dim("next")}   backstitch pack copy NAME --to FOLDER`)
}

/** Prints the names of the files that were copied, or the contracts. */
export const handler: Handler<Input> = ({ name, to }) =>
  Effect.gen(function* () {
    const folder = bundledContracts()
    if (Option.isNone(name)) {
      const contracts = (yield* ContractFolder.list(folder)).map(described)
      return Printer.answer({ contracts }, () => printList(contracts))
    }
    const target = Option.getOrElse(to, () => name.value)
    const { contract, files } = yield* ContractFolder.copy(folder, name.value, target)
    return Printer.answer({ ...described(contract), files }, () => {
      Terminal.print(`${Terminal.good("COPIED:")} ${contract.pack.id} ${contract.pack.version} | ${files.join(" | ")}`)
      Terminal.print(`${Terminal.dim("next")}   backstitch pack check ${files.find((file) => file.endsWith(".yaml"))}`)
    })
  })
