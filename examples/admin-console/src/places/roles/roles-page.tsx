export default function RolesPage() {
  return null;
}
