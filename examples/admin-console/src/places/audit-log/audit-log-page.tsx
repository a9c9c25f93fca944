export default function AuditLogPage() {
  return null;
}
