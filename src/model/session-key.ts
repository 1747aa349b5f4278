/** Who a session belongs to and its name there. Two tenants may use the same id: they are two sessions. */
export interface SessionKey {
  readonly tenant: string;
  readonly id: string;
}

/** One string for maps and the store. Tenant names hold no slash (config refuses one), so this is unambiguous. */
export function keyText(key: SessionKey): string {
  return `${key.tenant}/${key.id}`;
}
