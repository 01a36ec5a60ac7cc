export * as English from "./English.ts"
export * as Next from "./said/Next.ts"
export * as Said from "./said/Said.ts"
export * as Wording from "./Wording.ts"
