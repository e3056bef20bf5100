// Everything that Livens promises.
#pragma once

#include <livens/affine.hpp>
#include <livens/assembly.hpp>
#include <livens/asynchronous.hpp>
#include <livens/constraint.hpp>
#include <livens/energy.hpp>
#include <livens/integrator.hpp>
#include <livens/jet.hpp>
#include <livens/lagrangian.hpp>
#include <livens/laws.hpp>
#include <livens/ledger.hpp>
#include <livens/matrix_sink.hpp>
#include <livens/model.hpp>
#include <livens/observer.hpp>
#include <livens/probe.hpp>
#include <livens/records.hpp>
#include <livens/registry.hpp>
#include <livens/run.hpp>
#include <livens/scene.hpp>
#include <livens/settings.hpp>
#include <livens/setup.hpp>
#include <livens/solid_block.hpp>
#include <livens/solver_options.hpp>
#include <livens/state.hpp>
#include <livens/stepper.hpp>
#include <livens/version.hpp>
