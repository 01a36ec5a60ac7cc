export * as English from "./English.ts"
export * as Next from "./Next.ts"
export * as Said from "./Said.ts"
export * as Wording from "./Wording.ts"
