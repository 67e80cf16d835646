/* simgrid_ring.cc: a ring all-reduce over nodes of GPUs by SimGrid's actors: what bench_flows is compared with.
 *   usage: simgrid_ring NODES GPUS_A_NODE BYTES block|cyclic     prints: makespan in s, transfers, seconds it took
 *
 * Each GPU has a port of 370.8 GB/s into its node's switch; each node one NIC of 50 GB/s. No latency, so that
 * SimGrid weighs all flows alike.
 */
#include <simgrid/s4u.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

static void rank(int r, int n, double chunk) {
    sg4::Mailbox *next = sg4::Mailbox::by_name(std::to_string((r + 1) % n));
    sg4::Mailbox *own = sg4::Mailbox::by_name(std::to_string(r));
    static int nothing;
    for (int step = 0; step < 2 * (n - 1); step++) {
        void *got = nullptr;
        sg4::CommPtr out = next->put_async(&nothing, static_cast<uint64_t>(chunk));
        sg4::CommPtr in = own->get_async<void>(&got);
        in->wait();
        out->wait();
    }
}

int main(int argc, char **argv) {
    sg4::Engine engine(&argc, argv);
    if (argc < 5) return 2;
    const int nodes = std::atoi(argv[1]), g = std::atoi(argv[2]), n = nodes * g;
    const double chunk = std::atof(argv[3]) / n;
    const bool cyclic = std::string(argv[4]) == "cyclic";
    for (const char *option : {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0",
                               "network/weight-S:0", "surf/precision:1e-12", "maxmin/precision:1e-12",
                               "contexts/stack-size:16", "contexts/guard-size:0"})
        sg4::Engine::set_config(option);
    auto *zone = sg4::create_full_zone("machine");
    std::vector<sg4::Host *> hosts;
    std::vector<sg4::Link *> out, in, nic_out, nic_in;
    auto wire = [&](const std::string &name, double rate) {
        return zone->create_link(name, rate)->set_latency(0)->seal();
    };
    for (int i = 0; i < n; i++) {
        const std::string name = std::to_string(i);
        hosts.push_back(zone->create_host("gpu" + name, 1e9));
        out.push_back(wire("out" + name, 370.8e9));
        in.push_back(wire("in" + name, 370.8e9));
    }
    for (int i = 0; i < nodes; i++) {
        nic_out.push_back(wire("nic_out" + std::to_string(i), 50e9));
        nic_in.push_back(wire("nic_in" + std::to_string(i), 50e9));
    }
    auto gpu = [&](int r) { return cyclic ? r % nodes * g + r / nodes : r; };
    for (int r = 0; r < n; r++) {
        const int a = gpu(r), b = gpu((r + 1) % n);
        std::vector<sg4::LinkInRoute> route{sg4::LinkInRoute(out[a])};
        if (a / g != b / g) {
            route.emplace_back(nic_out[a / g]);
            route.emplace_back(nic_in[b / g]);
        }
        route.emplace_back(in[b]);
        zone->add_route(hosts[a]->get_netpoint(), hosts[b]->get_netpoint(), nullptr, nullptr, route, false);
    }
    zone->seal();
    for (int r = 0; r < n; r++) sg4::Actor::create("rank", hosts[gpu(r)], rank, r, n, chunk);
    const auto start = std::chrono::steady_clock::now();
    engine.run();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("%.12g %lld %.6f\n", sg4::Engine::get_clock(), 2LL * (n - 1) * n, took.count());
}
