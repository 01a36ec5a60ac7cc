/** An agent that applies for a visa, at an office that is a file. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import type { Agent } from "@backstitch/runtime/Agent"
import type { View } from "@backstitch/runtime/Planner"

type Visa = { readonly id: string; readonly passport: string; readonly born: string }

const file = "office.json"
const office = (): Record<string, Visa> => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {})
const byKey = async (key = "") => office()[key]

/** Reads the passport from the data that the contract shows to the planner. */
const passportIn = ({ actions }: View): string => {
  const found = actions.findLast(({ tool }) => tool === "find_traveller")?.observation?.fields
  return (found as { readonly passport?: string } | undefined)?.passport ?? ""
}

export default {
  pack: "./pack.yaml",
  goal: "visa",
  text: "A visa for Anna",
  steps: [
    { id: "find", propose: { tool: "find_traveller", params: { traveller: "c-311" } } },
    {
      id: "check",
      propose: (view) => ({
        type: "observation.add",
        data: { traveller: "c-311", passport: passportIn(view) }
      })
    },
    {
      id: "apply",
      propose: (view) => ({
        tool: "apply",
        params: { traveller: "c-311", passport: passportIn(view), born: "1990-03-14" }
      })
    },
    { id: "done", propose: { type: "goal.complete" } }
  ],
  tools: {
    find_traveller: { execute: () => ({ passport: "X7654321" }) },
    apply: {
      execute: ({ born, passport }: Omit<Visa, "id">, { key = "" }) => {
        const known = office()
        const visa = { id: `v${Object.keys(known).length + 1}`, passport, born }
        writeFileSync(file, JSON.stringify({ ...known, [key]: visa }))
        return { ...visa }
      },
      status: ({ key }) => byKey(key),
      readback: ({ key }) => byKey(key)
    }
  }
} satisfies Agent
