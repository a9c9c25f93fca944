export default function AdministratorsPage() {
  return null;
}
